// SPDX-License-Identifier: Apache-2.0
package import Siding
internal import SidingChain
internal import SidingJSON

/// A record found by a search, with the text around its matches.
package struct SearchHitText {
    package let match: TextMatch
    /// The text that matches best, cut where matches begin and end.
    package let pieces: [Piece]

    package struct Piece: Equatable {
        package var text: String
        package var isMatch = false
    }

    /// - Parameter style: the style with which `match` was searched.
    package init(_ match: TextMatch, _ style: TextSearch.SnippetStyle) {
        self.match = match
        var pieces: [Piece] = []
        for (index, part) in (match.snippet ?? "").split(separator: style.before, omittingEmptySubsequences: false)
            .enumerated()
        {
            let halves = part.split(separator: style.after, maxSplits: 1, omittingEmptySubsequences: false)
            pieces.append(Piece(text: String(halves.first ?? ""), isMatch: index > 0))
            if halves.count > 1 { pieces.append(Piece(text: String(halves[1]))) }
        }
        self.pieces = pieces.filter { !$0.text.isEmpty }
    }

    /// Marks matches with a number drawn for this search, so that no record can contain the marks. Control characters around it keep
    /// Swift from joining a mark with a letter beside it.
    package static func unforgeableStyle() -> TextSearch.SnippetStyle {
        let number = UInt64.random(in: .min ... .max)
        return TextSearch.SnippetStyle(before: "\u{1}\(number)\u{2}", after: "\u{1}\(number)\u{3}", words: 10)
    }

    /// The object of `--json`.
    package var object: JSONObject {
        var object = Shapes.record(match.record)
        object.add([
            "rank": match.rank,
            "snippet": pieces.map { ["text": $0.text, "match": $0.isMatch ? true : nil] as JSONObject },
        ])
        return object
    }
}
