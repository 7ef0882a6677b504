// SPDX-License-Identifier: Apache-2.0
/// The sentences in the prose, list items, headings and cells of a page; blocks of code are left out.
struct DocumentSentences {
    /// The words of each sentence. Inline code is one word, a link is its text.
    let sentences: [[String]]

    init(_ page: String) {
        sentences = Self.blocks(page).flatMap(Self.sentences)
    }

    /// A dot between links and an arrow are not words.
    static func count(_ sentence: [String]) -> Int {
        sentence.count { word in word.contains { $0.isLetter || $0.isNumber } }
    }

    /// The parts of a page that no sentence goes beyond.
    private static func blocks(_ page: String) -> [String] {
        var blocks = [""]
        var isCode = false
        for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
            let text = line.drop { $0 == " " }
            if text.hasPrefix("```") {
                isCode.toggle()
                blocks.append("")
            } else if isCode {
                continue
            } else if text.hasPrefix("|") {
                blocks += plain(String(text)).split(separator: "|").map(String.init) + [""]
            } else if text.isEmpty || text.hasPrefix("#") {
                blocks += [String(text), ""]
            } else if text.contains(/^(?:[-*+]|\d+\.)\s/) {
                blocks.append(String(text))
            } else {
                blocks[blocks.count - 1] += " \(text)"
            }
        }
        return blocks
    }

    private static func plain(_ text: String) -> String {
        text.replacing(/`[^`]*`/, with: "CODE").replacing(/\[([^\]]*)\]\([^)]*\)/) { link in "[\(link.1)" }
    }

    private static func sentences(_ block: String) -> [[String]] {
        var sentences: [[String]] = [[]]
        for word in plain(block).split(whereSeparator: \.isWhitespace) {
            if let last = sentences[sentences.count - 1].last, ends(last), begins(word) { sentences.append([]) }
            sentences[sentences.count - 1].append(String(word))
        }
        return sentences
    }

    /// Whether a sentence may end with `word`, which quotes, brackets and asterisks may close.
    private static func ends(_ word: String) -> Bool {
        word.last { !"\"”)]*".contains($0) }.map { ".!?:".contains($0) } ?? false
    }

    private static func begins(_ word: Substring) -> Bool {
        word.first.map { $0.isUppercase || $0.isNumber || "*`[(“\"".contains($0) } ?? false
    }
}
