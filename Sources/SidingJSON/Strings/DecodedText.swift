/// A name or string by the bytes of its decoded text, to be looked up by.
///
/// Texts that differ only in Unicode normalisation are two, as they are for every reader of JSON; as two Swift strings they
/// would be equal. It is hashed with the process's own seed, so that no document can be made whose names collide.
struct DecodedText: Hashable {
    private let bytes: ArraySlice<UInt8>

    /// - Parameter contents: the bytes between the quotes.
    init(contents: ArraySlice<UInt8>, isEscaped: Bool) {
        guard isEscaped else {
            bytes = contents
            return
        }
        var decoded: [UInt8] = []
        decoded.reserveCapacity(contents.count)
        contents.withUnsafeBytes { _ = JSONString.append(decoding: $0, to: &decoded) }
        bytes = decoded[...]
    }

    /// Bytes that are the text already.
    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
    }

    var string: String { String(decoding: bytes, as: UTF8.self) }

    func hash(into hasher: inout Hasher) {
        bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    }
}
