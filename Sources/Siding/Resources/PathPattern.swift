public import SidingChain

/// Which paths a limit is for: `/search/**`.
///
/// Segment by segment, compared as they are sent: `*` stands for anything within a segment, `**`, which is a segment of its
/// own, for any number of segments, none as well. The query does not count.
public struct PathPattern: Sendable, Hashable, CustomStringConvertible {
    /// As it is written.
    public let description: String
    private let segments: [Segment]

    /// Longer ones name no path that anybody asks for.
    private static let longest = 1_000

    private enum Segment: Sendable, Hashable {
        /// `**`
        case any
        /// Bytes, and `*`.
        case glob([UInt8])
    }

    /// - Throws: ``/SidingChain/Failure/Reason/invalidRequest`` for what is no pattern; its detail says why.
    public init(_ text: String) throws(Failure) {
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
        if text.contains("?") || text.contains("#") { return "it speaks of more than a path" }
        if text.unicodeScalars.contains(where: { $0.value <= 0x20 || $0.value >= 0x7F }) {
            return "it holds what a path holds percent-encoded only"
        }
        let isMixed = segments.contains { segment in
            if case .glob(let bytes) = segment { String(decoding: bytes, as: UTF8.self).contains("**") } else { false }
        }
        return isMixed ? "** stands for whole segments, as in /a/**/b" : nil
    }

    /// Whether there is no path that it does not fit.
    public var isOfAll: Bool { segments == [.any] || segments == [.glob([]), .any] }

    /// Whether it fits `path`, which begins with a slash.
    public func fits(_ path: String) -> Bool {
        let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return Self.fits(segments, parts, isWild: { $0 == .any }) { segment, part in
            guard case .glob(let bytes) = segment else { return true }
            return Self.fits(bytes, Array(part), isWild: { $0 == UInt8(ascii: "*") }, isSame: ==)
        }
    }

    /// A wild part of the pattern takes as few values as it can, and one more whenever that leads nowhere: at most as many
    /// steps as both have parts, multiplied.
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
