/// A string or name that the scanner has stepped over: where its contents lie and what was met on the way.
struct ScannedString {
    /// The first byte after the opening quote.
    let start: UnsafePointer<UInt8>
    /// The closing quote.
    let end: UnsafePointer<UInt8>
    /// Whether the contents are written with backslashes, so that they differ from the decoded text.
    let isEscaped: Bool
    /// Whether an escape names half of a surrogate pair without the other half: no Unicode text (RFC 8259, section 8.2).
    let hasLoneSurrogate: Bool

    @inline(__always)
    var count: Int { end - start }

    @inline(__always)
    var contents: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: start, count: end - start)
    }
}
