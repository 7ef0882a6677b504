/// What tells a record from the others of its resource, as text: the decoded string, the integer's own digits, or a
/// composite as a compact JSON array.
///
/// The usual key is a range of the page and owns no memory; a string written with escapes and a composite own their bytes.
public struct RecordKey: Sendable, Hashable {
    public enum Kind: UInt8, Sendable, Hashable {
        case string, integer, composite
    }

    private enum Text: Hashable {
        case page(start: UInt32, count: UInt32)
        case owned([UInt8])
    }

    public let kind: Kind
    private let text: Text

    init(kind: Kind, start: UInt32, count: UInt32) {
        self.kind = kind
        text = .page(start: start, count: count)
    }

    init(kind: Kind, owned: [UInt8]) {
        self.kind = kind
        text = .owned(owned)
    }

    /// Where the key's text stands in the page; nil when it is owned.
    public var range: Range<Int>? {
        guard case .page(let start, let count) = text else { return nil }
        return Int(start)..<Int(start) + Int(count)
    }

    /// The key's text where it does not stand in the page as it is: decoded from escapes, or composite.
    public var ownedBytes: [UInt8]? {
        guard case .owned(let bytes) = text else { return nil }
        return bytes
    }

    /// Lends the key's UTF-8 without copying it.
    ///
    /// - Parameter page: the bytes that were read.
    public func withBytes<Result, Failure: Error>(
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

    /// The key as a string, a copy.
    public func text(in page: UnsafeRawBufferPointer) -> String {
        withBytes(in: page) { String(decoding: $0, as: UTF8.self) }
    }
}
