// SPDX-License-Identifier: Apache-2.0
internal import SidingJSON
internal import SidingSQLite

/// Temporary ids of records until the origin has assigned real ones: `tmp-` and 26 random characters.
///
/// They are detected in URLs, bodies and lanes, so that a write that names one waits for it automatically.
package enum TemporaryID {
    static let prefix = "tmp-"
    static let length = prefix.utf8.count + EntryID.length
    /// The form of a temporary id, for `GLOB`.
    static let pattern = prefix + String(repeating: "[0-9a-z]", count: EntryID.length)

    /// Whether a column has a text that begins as a temporary id, in a form that an index answers.
    static func range(of column: SQL) -> SQL {
        // `.` follows `-`.
        "\(column) >= \(literal: prefix) AND \(column) < 'tmp.'"
    }

    /// Makes a new id, for a caller who wants to use it before its write is accepted, for instance in a lane.
    package static func random() -> String { prefix + EntryID.random() }

    /// Whether `text` has the form of a temporary id.
    package static func matches(_ text: String) -> Bool {
        text.utf8.count == length && text.hasPrefix(prefix) && text.utf8.dropFirst(4).allSatisfy(isLetter)
    }

    /// The temporary ids in `text`, in order, without duplicates.
    package static func found(in text: [UInt8]) -> [String] {
        words(in: text).reduce(into: []) { if !$0.contains($1.text) { $0.append($1.text) } }
    }

    /// `text` with its temporary ids written without escapes.
    static func plain(_ text: [UInt8]) -> [UInt8] {
        words(in: text).filter { $0.range.count > length }.reversed()
            .reduce(into: text) { $0.replaceSubrange($1.range, with: $1.text.utf8) }
    }

    private static func words(in text: [UInt8]) -> [EscapedWord] {
        EscapedWord.all(of: length, after: prefix, in: text, isLetter: isLetter)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
    }
}
