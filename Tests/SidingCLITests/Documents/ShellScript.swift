// SPDX-License-Identifier: Apache-2.0
/// The commands of a script for a shell, each as its words. Enough for the documents: quotes, comments, lists and pipes; redirections
/// are left out.
struct ShellScript {
    private(set) var commands: [[String]] = []
    private var words: [String] = []
    private var word: String?
    private var isRedirected = false

    init(_ text: some StringProtocol) {
        var characters = text.makeIterator()
        while let character = characters.next() {
            switch character {
            case "'", "\"":
                word = word ?? ""
                while let next = characters.next(), next != character {
                    if next == "\\", character == "\"", let escaped = characters.next() {
                        word?.append(escaped)
                    } else {
                        word?.append(next)
                    }
                }
            case "\\":
                if let next = characters.next(), next != "\n" { word = (word ?? "") + String(next) }
            case " ", "\t": endWord()
            case "<", ">":
                // In `2>` the number is no argument.
                if word?.allSatisfy(\.isNumber) == true { word = nil }
                endWord()
                isRedirected = true
            case "\n", "|", "&", ";", "(", ")": endCommand()
            case "#" where word == nil:
                while let next = characters.next(), next != "\n" {}
                endCommand()
            default: word = (word ?? "") + String(character)
            }
        }
        endCommand()
    }

    private mutating func endWord() {
        if let word, !isRedirected { words.append(word) }
        word = nil
    }

    private mutating func endCommand() {
        endWord()
        if !words.isEmpty { commands.append(words) }
        (words, isRedirected) = ([], false)
    }
}
