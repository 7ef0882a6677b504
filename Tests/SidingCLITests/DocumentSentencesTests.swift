// SPDX-License-Identifier: Apache-2.0
import Testing

/// The length of the sentences that users read.
@Suite struct DocumentSentencesTests {
    private static let most = 35

    /// Decisions record corner cases, and the reference is generated from the grammar.
    private static func isForUsers(_ path: String) -> Bool {
        path == "README.md" || path.hasPrefix("Docs/") && !path.contains("/Decisions/") && path != "Docs/Reference.md"
    }

    @Test func `no sentence of a page for users has more than 35 words`() throws {
        let pages = try DocumentPages.all().filter { Self.isForUsers($0.key) }
        #expect(pages.count >= 15)
        for (path, page) in pages {
            for sentence in DocumentSentences(page).sentences {
                let count = DocumentSentences.count(sentence)
                let beginning = sentence.prefix(12).joined(separator: " ")
                #expect(count <= Self.most, "\(path): \(count) words: \(beginning) …")
            }
        }
    }

    private static func counts(_ page: String) -> [Int] {
        DocumentSentences(page).sentences.map(DocumentSentences.count).filter { $0 > 0 }
    }

    @Test(arguments: [
        ("One two three. Four five: six seven.", [3, 4]),
        ("One two: Three four. 66: five six.", [2, 2, 3]),
        ("He said “one.” Then (two!) Three **four?** *Five* six", [3, 2, 2, 2]),
        ("One `two three four`, five [six seven](eight.md#nine) · ten → eleven", [7]),
        ("One `two\nthree` four\nfive.", [4]),
        ("# One two\n\nThree\n\n- four five\n  six\n- seven\n1. eight", [2, 1, 3, 1, 2]),
        ("| one two | three `a|b` | four. Five |\n|---|---|---|\n| six | | |", [2, 2, 1, 1, 1]),
        ("One:\n\n```sh\ntwo three\n```\n- four\n\n  ```\n  five\n  ```\n  six", [1, 1, 1]),
    ])
    func `words are counted from sentence to sentence, outside of code`(page: String, counts: [Int]) {
        #expect(Self.counts(page) == counts)
    }
}
