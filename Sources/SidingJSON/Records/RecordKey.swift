// SPDX-License-Identifier: Apache-2.0
/// The key that identifies a record within its resource, as text: the decoded string, the integer's digits, or a composite as
/// a compact JSON array.
///
/// Most keys are a range of the page and own no memory; escaped strings and composites own their bytes.
package struct RecordKey: Sendable, Hashable {
    /// The kinds of keys; all keys of a resource have the same one.
    package enum Kind: String, Sendable, Hashable {
        /// One member with text: `a-17`.
        case string
        /// One member with an integer of any length: `17`.
        case integer
        /// Several members, as an array: `["eu",17]`.
        case composite
    }

    private enum Text: Hashable {
        case page(start: UInt32, count: UInt32)
        case owned([UInt8])
    }

    /// Whether the origin writes the key as text, as an integer, or in several members.
    package let kind: Kind
    private let text: Text

    init(kind: Kind, start: UInt32, count: UInt32) {
        self.kind = kind
        text = .page(start: start, count: count)
    }

    init(kind: Kind, owned: [UInt8]) {
        self.kind = kind
        text = .owned(owned)
    }

    /// The range of the key's text in the page; nil if the key owns its bytes.
    package var range: Range<Int>? {
        guard case .page(let start, let count) = text else { return nil }
        return Int(start)..<Int(start) + Int(count)
    }

    /// Passes the key's UTF-8 to `body` without copying it.
    ///
    /// - Parameter page: the bytes that were read.
    package func withBytes<Result, Failure: Error>(
        in page: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        switch text {
        case .page:
            let range = (range ?? 0..<0).clamped(to: page.indices)
            return try body(UnsafeRawBufferPointer(rebasing: page[range]))
        case .owned(let bytes):
            return try bytes.span.bytes.withUnsafeBytes(body)
        }
    }

    /// A copy of the key as a string.
    package func text(in page: UnsafeRawBufferPointer) -> String {
        withBytes(in: page) { String(decoding: $0, as: UTF8.self) }
    }
}
