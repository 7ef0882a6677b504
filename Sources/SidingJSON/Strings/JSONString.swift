// SPDX-License-Identifier: Apache-2.0
/// Decodes the contents of JSON strings (RFC 8259, section 7).
///
/// All functions take the checked bytes between the quotes. For invalid contents the result is nil or false; they never read
/// outside the buffer.
enum JSONString {
    /// The decoded text; nil if an escape is half of a surrogate pair.
    static func decode(_ contents: UnsafeRawBufferPointer) -> String? {
        guard contents.contains(UInt8(ascii: "\\")) else { return String(decoding: contents, as: UTF8.self) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(contents.count)
        return append(decoding: contents, to: &bytes) ? String(decoding: bytes, as: UTF8.self) : nil
    }

    /// Appends the decoded text as UTF-8; false if an escape is half of a surrogate pair, which is appended as U+FFFD.
    @discardableResult
    static func append(decoding contents: UnsafeRawBufferPointer, to bytes: inout [UInt8]) -> Bool {
        var isText = true
        var index = 0
        while index < contents.count {
            guard contents[index] == UInt8(ascii: "\\"), index + 1 < contents.count else {
                bytes.append(contents[index])
                index += 1
                continue
            }
            guard contents[index + 1] == UInt8(ascii: "u") else {
                bytes.append(character(escapedAs: contents[index + 1]))
                index += 2
                continue
            }
            let (scalar, length) = scalar(at: index, of: contents)
            if scalar == nil { isText = false }
            bytes.append(contentsOf: String(scalar ?? "\u{FFFD}").utf8)
            index += length
        }
        return isText
    }

    /// Whether the decoded contents equal `text`, which is plain UTF-8.
    static func areEqual(_ contents: UnsafeRawBufferPointer, toText text: UnsafeRawBufferPointer) -> Bool {
        guard contents.contains(UInt8(ascii: "\\")) else { return contents.elementsEqual(text) }
        var decoded: [UInt8] = []
        append(decoding: contents, to: &decoded)
        return decoded.elementsEqual(text)
    }

    /// Compares decoded texts by their UTF-8: negative, 0 or positive.
    static func compare(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
        var leftText: [UInt8] = []
        var rightText: [UInt8] = []
        append(decoding: left, to: &leftText)
        append(decoding: right, to: &rightText)
        if leftText == rightText { return 0 }
        return leftText.lexicographicallyPrecedes(rightText) ? -1 : 1
    }

    @inline(__always)
    static func hexadecimalDigit(_ byte: UInt8) -> UInt32? {
        let digit = byte &- UInt8(ascii: "0")
        if digit < 10 { return UInt32(digit) }
        let letter = (byte | 0x20) &- UInt8(ascii: "a")
        return letter < 6 ? UInt32(letter) + 10 : nil
    }

    private static func character(escapedAs letter: UInt8) -> UInt8 {
        switch letter {
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: letter
        }
    }

    /// The scalar written as one `\uXXXX` or a pair at `index`, and its length in bytes.
    private static func scalar(at index: Int, of contents: UnsafeRawBufferPointer) -> (Unicode.Scalar?, Int) {
        guard let unit = codeUnit(at: index, of: contents) else { return (nil, 2) }
        guard unit & 0xFC00 == 0xD800 else { return (Unicode.Scalar(unit), 6) }
        guard let low = codeUnit(at: index + 6, of: contents), low & 0xFC00 == 0xDC00 else { return (nil, 6) }
        return (Unicode.Scalar(0x10000 + (unit & 0x3FF) << 10 + low & 0x3FF), 12)
    }

    private static func codeUnit(at index: Int, of contents: UnsafeRawBufferPointer) -> UInt32? {
        guard index + 6 <= contents.count, contents[index] == UInt8(ascii: "\\"),
            contents[index + 1] == UInt8(ascii: "u")
        else { return nil }
        var unit: UInt32 = 0
        for offset in 2..<6 {
            guard let digit = hexadecimalDigit(contents[index + offset]) else { return nil }
            unit = unit << 4 | digit
        }
        return unit
    }
}

/// A string or name that was scanned: its contents and their properties.
struct ScannedString {
    /// The first byte after the opening quote.
    let start: UnsafePointer<UInt8>
    /// The closing quote.
    let end: UnsafePointer<UInt8>
    /// Whether the contents contain backslashes, so that they differ from the decoded text.
    let isEscaped: Bool
    /// Whether an escape is half of a surrogate pair, which is not Unicode text (RFC 8259, section 8.2).
    let hasLoneSurrogate: Bool

    @inline(__always)
    var count: Int { end - start }

    @inline(__always)
    var contents: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: start, count: end - start)
    }
}

/// A name or string as the bytes of its decoded text, for use as a dictionary key.
///
/// Texts that differ in Unicode normalization are different, as in JSON; as Swift strings they would be equal. The hash uses
/// the process's random seed, so that no document can provoke collisions.
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

    /// Wraps bytes that are already decoded.
    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
    }

    var string: String { String(decoding: bytes, as: UTF8.self) }

    func hash(into hasher: inout Hasher) {
        bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    }
}
