/// A value of the page that was asked for by its path: its kind, and its bytes as they stand in the page.
public struct EnvelopeValue: Sendable, Hashable {
    public let kind: JSONKind
    /// In bytes of the page; with the quotes of a string, the brackets of an array.
    public let range: Range<Int>

    public init(kind: JSONKind, range: Range<Int>) {
        (self.kind, self.range) = (kind, range)
    }

    /// The decoded text of a string; nil for other kinds, and where an escape is half of a surrogate pair.
    ///
    /// - Parameter page: the bytes that were read.
    public func string(in page: UnsafeRawBufferPointer) -> String? {
        guard kind == .string, range.count >= 2, let bytes = bytes(in: page) else { return nil }
        return JSONString.decode(UnsafeRawBufferPointer(rebasing: bytes.dropFirst().dropLast()))
    }

    /// The text that stands for the value in a request's query: a string decoded, a number by its own digits, `true` or
    /// `false`; nil for null, arrays and objects.
    public func text(in page: UnsafeRawBufferPointer) -> String? {
        switch kind {
        case .string: string(in: page)
        case .number, .true, .false: bytes(in: page).map { String(decoding: $0, as: UTF8.self) }
        case .null, .array, .object: nil
        }
    }

    /// Whether it is a number without fraction and exponent, of any length.
    ///
    /// - Parameter page: the bytes that were read.
    public func isInteger(in page: UnsafeRawBufferPointer) -> Bool {
        kind == .number && (bytes(in: page).map { JSONMembers.isInteger($0[...]) } ?? false)
    }

    /// The value's own bytes; nil where `page` is not the page that was read.
    public func bytes(in page: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        guard range.lowerBound >= 0, range.upperBound <= page.count else { return nil }
        return UnsafeRawBufferPointer(rebasing: page[range])
    }
}

/// Where a wanted value lies, and of which kind it is; all zero until it is met.
struct FoundValue {
    var kind = JSONKind.null
    var start: UInt32 = 0
    /// 0 while the value has not been met.
    var end: UInt32 = 0

    @inline(__always)
    var isFound: Bool { end != 0 }
}
