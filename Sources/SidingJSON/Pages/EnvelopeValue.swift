// SPDX-License-Identifier: Apache-2.0
/// A value found in a page: its kind and its range of bytes.
package struct EnvelopeValue: Sendable, Hashable {
    /// The kind of the value.
    package let kind: JSONKind
    /// The bytes in the page, including the quotes of a string and the brackets of an array.
    package let range: Range<Int>

    /// - Parameter range: the bytes in the page that is given to the other calls.
    package init(kind: JSONKind, range: Range<Int>) {
        (self.kind, self.range) = (kind, range)
    }

    /// The decoded text of a string; nil for other kinds, and if an escape is half of a surrogate pair.
    ///
    /// - Parameter page: the bytes that were read.
    package func string(in page: UnsafeRawBufferPointer) -> String? {
        guard kind == .string, range.count >= 2, let bytes = bytes(in: page) else { return nil }
        return JSONString.decode(UnsafeRawBufferPointer(rebasing: bytes.dropFirst().dropLast()))
    }

    /// The value as text for a query parameter: a decoded string, a number with its digits, `true` or `false`; nil for null,
    /// arrays and objects.
    package func text(in page: UnsafeRawBufferPointer) -> String? {
        switch kind {
        case .string: string(in: page)
        case .number, .true, .false: bytes(in: page).map { String(decoding: $0, as: UTF8.self) }
        case .null, .array, .object: nil
        }
    }

    /// Whether the value is a number without fraction and exponent, of any length.
    ///
    /// - Parameter page: the bytes that were read.
    package func isInteger(in page: UnsafeRawBufferPointer) -> Bool {
        kind == .number && (bytes(in: page).map { JSONMembers.isInteger($0[...]) } ?? false)
    }

    /// The value's bytes; nil if `page` is too short to be the page that was read.
    package func bytes(in page: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        guard range.lowerBound >= 0, range.upperBound <= page.count else { return nil }
        return UnsafeRawBufferPointer(rebasing: page[range])
    }
}

/// The range and kind of a wanted value; all zero until it is found.
struct FoundValue {
    var kind = JSONKind.null
    var start: UInt32 = 0
    /// 0 until the value is found.
    var end: UInt32 = 0

    @inline(__always)
    var isFound: Bool { end != 0 }
}
