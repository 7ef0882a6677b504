// SPDX-License-Identifier: Apache-2.0
/// Finds the word that a misspelt one probably means.
package enum Suggestion {
    /// The nearest of `candidates`; nil if none has at most one typing error per three letters.
    package static func nearest(to word: String, among candidates: [String]) -> String? {
        guard word.utf8.count <= 40 else { return nil }
        let wanted = normal(word)
        let ranked = candidates.map { (name: $0, distance: distance(wanted, normal($0))) }
        guard let best = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
        return best.distance <= max(1, min(wanted.count, best.name.count) / 3) ? best.name : nil
    }

    private static func normal(_ word: String) -> [Character] {
        word.lowercased().map { $0 == "-" || $0 == " " ? "_" : $0 }
    }

    /// The number of insertions, deletions, substitutions and swaps of neighbours between two words (optimal string alignment).
    static func distance(_ left: [Character], _ right: [Character]) -> Int {
        var older: [Int] = []
        var previous = Array(0...right.count)
        for (row, letter) in left.enumerated() {
            var current = [row + 1]
            for (column, other) in right.enumerated() {
                let substitution = previous[column] + (letter == other ? 0 : 1)
                var best = min(previous[column + 1] + 1, current[column] + 1, substitution)
                if row > 0, column > 0, letter == right[column - 1], left[row - 1] == other {
                    best = min(best, older[column - 1] + 1)
                }
                current.append(best)
            }
            (older, previous) = (previous, current)
        }
        return previous[right.count]
    }
}
