// SPDX-License-Identifier: Apache-2.0
/// The words by which a text says that an answer is partial: "partial", "Partial results: 1 shard failed", "the list is only
/// partial". In other texts the word belongs to the domain: "Partial updates take PATCH", a fulfillment that is partial.
enum PartialWords {
    /// Whether they are in the text.
    ///
    /// - Parameter isMessage: whether it is a message for people; else a text of at most four words is a state, and has only the
    ///   word itself.
    static func areIn(_ text: String, isMessage: Bool) -> Bool {
        guard (7...longest).contains(text.utf8.count) else { return false }
        let text = separated(text).lowercased()
        let words = text.split { !$0.isLetter }
        return words.indices.contains { place in
            let word = words[place]
            guard word == "partial" || word == "partially" else { return false }
            let before = place > 0 ? String(words[place - 1]) : ""
            if negations.contains(before) { return false }
            if verbs.contains(before) || (!isMessage && words.count <= 4) { return true }
            if place + 1 < words.count, nouns.contains(String(words[place + 1])) { return true }
            // At the end of a clause it is said of what stands before: "Partial: 2 of 5 shards failed".
            return word.endIndex == text.endIndex || clauseEnds.contains(text[word.endIndex])
        }
    }

    /// The words of a state that is written as one: `PartialContent`.
    private static func separated(_ text: String) -> String {
        guard text.allSatisfy({ $0.isASCII && $0.isLetter }) else { return text }
        return text.reduce(into: "") { words, letter in
            if letter.isUppercase, words.last?.isLowercase == true { words.append(" ") }
            words.append(letter)
        }
    }

    /// Whether a member of this folded name says how the answer came out. It is made of such words alone: `statusText`, but not
    /// `fulfillmentStatus`.
    static func mayBeIn(_ name: String) -> Bool {
        ExtentName.isMade(name[...], of: states + messages + texts)
            && (isOfMessage(name) || states.contains { name.contains($0) })
    }

    /// Whether a member of this folded name holds a message for people.
    static func isOfMessage(_ name: String) -> Bool { messages.contains { name.contains($0) } }

    /// Whether a member of this folded name warns of something.
    static func isOfWarning(_ name: String) -> Bool { warnings.contains { name.contains($0) } }

    /// Whether a header field of this folded name holds a text of the data.
    static func areOfData(_ name: String) -> Bool { ofData.contains { name.hasSuffix($0) } }

    /// In bytes; what is longer is a text of the data.
    private static let longest = 300

    private static let negations: Set<String> = ["no", "not", "non", "never", "without", "t"]
    private static let verbs: Set<String> = ["is", "are", "was", "were", "be", "only"]
    private static let clauseEnds: Set<Character> = [":", ";", ".", "!", "("]
    /// What is partial, or done partially.
    private static let nouns = words(
        """
        result results response data content answer list listing page success failure outage complete completed done \
        failed available loaded returned read succeeded successful
        """)
    private static let states = words(
        """
        status state results result response answer completeness coverage outcome
        """
    ).sorted()
    private static let messages = words(
        """
        messages message msg warnings warning notices notice reasons reason remarks remark
        """
    ).sorted()
    private static let warnings = words("warning notice remark")
    private static let texts = words("text code description").sorted()
    private static let ofData = words("title name description subject label summary filename query")

    private static func words(_ text: String) -> Set<String> {
        Set(text.split(separator: " ").map(String.init))
    }
}
