// SPDX-License-Identifier: Apache-2.0
/// The paths that a limit applies to, such as `/search/**`.
///
/// Matched segment by segment, in the form that is sent. `*` matches any text within a segment; `**`, always a whole segment,
/// matches any number of segments, including none. The query is ignored.
package struct PathPattern: Sendable, Hashable, CustomStringConvertible {
    /// The pattern as it was written.
    package let description: String
    private let segments: [Segment]

    /// The longest pattern; no real path is longer.
    private static let longest = 1_000

    private enum Segment: Sendable, Hashable {
        /// `**`
        case any
        /// Bytes, with `*` as a wildcard.
        case glob([UInt8])
    }

    /// - Throws: ``Failure/Reason/invalidRequest`` for an invalid pattern; the detail says why.
    package init(_ text: String) throws(Failure) {
        description = text
        segments = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map {
            $0.elementsEqual("**".utf8) ? .any : .glob(Array($0))
        }
        guard let fault = Self.fault(text, segments) else { return }
        throw Failure(.invalidRequest, phase: .notSent, detail: fault)
    }

    private static func fault(_ text: String, _ segments: [Segment]) -> String? {
        if text.utf8.count > longest { return "it is longer than \(longest) bytes" }
        if segments.first != .any, !text.hasPrefix("/") { return "it begins with neither / nor **" }
        if text.contains("?") || text.contains("#") { return "it has a query or a fragment" }
        if text.unicodeScalars.contains(where: { $0.value <= 0x20 || $0.value >= 0x7F }) {
            return "it has characters that must be percent-encoded in a path"
        }
        let isMixed = segments.contains { segment in
            if case .glob(let bytes) = segment { String(decoding: bytes, as: UTF8.self).contains("**") } else { false }
        }
        return isMixed ? "** stands for whole segments, as in /a/**/b" : nil
    }

    /// Whether it matches every path.
    package var isOfAll: Bool { segments == [.any] || segments == [.glob([]), .any] }

    /// Whether it matches `path`, which starts with a slash.
    package func fits(_ path: String) -> Bool {
        let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return Self.fits(segments, parts, isWild: { $0 == .any }) { segment, part in
            guard case .glob(let bytes) = segment else { return true }
            return Self.fits(bytes, Array(part), isWild: { $0 == UInt8(ascii: "*") }, isSame: ==)
        }
    }

    /// Glob matching by backtracking: a wildcard takes as few values as possible, and one more after each mismatch. Takes at
    /// most `pattern.count` × `values.count` steps.
    private static func fits<Part, Value>(
        _ pattern: [Part], _ values: [Value], isWild: (Part) -> Bool, isSame: (Part, Value) -> Bool
    ) -> Bool {
        var (at, value) = (0, 0)
        var wild: (part: Int, taken: Int)?
        while value < values.count {
            if at < pattern.count, isWild(pattern[at]) {
                wild = (at, value)
                at += 1
            } else if at < pattern.count, isSame(pattern[at], values[value]) {
                (at, value) = (at + 1, value + 1)
            } else if let last = wild {
                wild = (last.part, last.taken + 1)
                (at, value) = (last.part + 1, last.taken + 1)
            } else {
                return false
            }
        }
        return pattern[at...].allSatisfy(isWild)
    }
}
