// SPDX-License-Identifier: Apache-2.0
import Foundation
import RegexBuilder

/// What a page shows of a command's output. Times, sizes, shares, ids of entries and the widths of columns may differ from what is printed;
/// `…` stands for any text.
struct ShownOutput {
    let text: String

    /// Compares it with what a command printed.
    ///
    /// - Returns: the printed id for each one that the page shows; nil if they differ.
    func ids(in printed: String) throws -> [(page: String, here: String)]? {
        var (pattern, ids) = ("", [String]())
        var rest = text.trimmingCharacters(in: .whitespacesAndNewlines)[...]
        while let found = rest.firstMatch(of: Self.variable) {
            pattern += Self.escaped(rest[..<found.range.lowerBound])
            if found.1 != nil {
                pattern += ".*?"
            } else if found.2 != nil {
                pattern += "[-0-9.,:TZ]+(?: (?:ms|s|min|h|d|B|KiB|MiB|GiB|%))?"
            } else if found.3 != nil {
                pattern += "([0-9a-z]{\(found.0.count)})"
                ids.append(String(found.0))
            } else {
                pattern += " +"
            }
            rest = rest[found.range.upperBound...]
        }
        pattern += Self.escaped(rest)
        let whole = try Regex(pattern).dotMatchesNewlines()
        guard let match = try whole.wholeMatch(in: printed.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            return nil
        }
        return zip(ids, match.output.dropFirst()).map { ($0, String($1.substring ?? "")) }
    }

    /// Any text; a time or an amount; an id, which has a digit, and is whole or its first eight characters; spaces.
    private static var variable: Regex<(Substring, Substring?, Substring?, Substring?)> {
        let time = /\d{4}-\d\d-\d\dT[0-9:.]+Z/
        let amount = /\d+(?:[.,]\d+)* (?:ms|s|min|h|d|B|KiB|MiB|GiB|%)(?![A-Za-z])/
        let id = /\b(?=[a-z]*\d)(?:[0-9a-z]{26}|[0-9a-z]{8})\b/
        return Regex {
            ChoiceOf {
                Capture("…")
                Capture(
                    ChoiceOf {
                        time
                        amount
                    })
                Capture(id)
                OneOrMore(" ")
            }
        }.wordBoundaryKind(.simple)
    }

    /// A table may have empty cells at the ends of its lines.
    private static func escaped(_ text: Substring) -> String {
        NSRegularExpression.escapedPattern(for: String(text)).replacing("\n", with: " *\n")
    }
}
