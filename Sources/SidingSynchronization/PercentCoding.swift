// SPDX-License-Identifier: Apache-2.0
/// Percent-encodes and decodes text for the path or query of a URL (RFC 3986 §2.1, §2.3).
///
/// In this module because `SidingJSON` needs it as well as the modules above it.
package enum PercentCoding {
    /// `text` with every byte outside the unreserved set percent-encoded.
    package static func encode(_ text: String) -> String {
        guard !text.utf8.allSatisfy(isUnreserved) else { return text }
        return String(decoding: encode(text.utf8), as: UTF8.self)
    }

    /// `bytes` with every byte outside the unreserved set percent-encoded.
    package static func encode(_ bytes: some Collection<UInt8>) -> [UInt8] {
        var encoded: [UInt8] = []
        encoded.reserveCapacity(bytes.count)
        for byte in bytes {
            if isUnreserved(byte) {
                encoded.append(byte)
            } else {
                encoded.append(UInt8(ascii: "%"))
                encoded.append(digit(byte >> 4))
                encoded.append(digit(byte & 15))
            }
        }
        return encoded
    }

    /// `text` decoded; invalid UTF-8 becomes the replacement character.
    ///
    /// - Parameter plus: the replacement for `+`, which is a space in queries and forms, and itself in paths.
    package static func decode(_ text: some StringProtocol, plus: Unicode.Scalar = "+") -> String {
        String(decoding: decode(text.utf8, plus: UInt8(ascii: plus)), as: UTF8.self)
    }

    /// `bytes` decoded. A `%` without two hexadecimal digits after it is kept.
    package static func decode(_ bytes: some Collection<UInt8>, plus: UInt8) -> [UInt8] {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var index = bytes.startIndex
        while index != bytes.endIndex {
            let byte = bytes[index]
            bytes.formIndex(after: &index)
            if byte == UInt8(ascii: "%"), let (code, end) = code(in: bytes, at: index) {
                decoded.append(code)
                index = end
            } else {
                decoded.append(byte == UInt8(ascii: "+") ? plus : byte)
            }
        }
        return decoded
    }

    /// Whether `byte` never needs to be encoded (RFC 3986 §2.3).
    package static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }

    /// The byte that the two digits at `index` encode, and the index after them.
    private static func code<Bytes: Collection<UInt8>>(
        in bytes: Bytes, at index: Bytes.Index
    ) -> (code: UInt8, end: Bytes.Index)? {
        guard index != bytes.endIndex, let high = value(bytes[index]) else { return nil }
        let second = bytes.index(after: index)
        guard second != bytes.endIndex, let low = value(bytes[second]) else { return nil }
        return (high << 4 | low, bytes.index(after: second))
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }
}
