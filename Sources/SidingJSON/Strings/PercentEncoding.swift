/// Writes any text into a URL's path or query, and reads it back (RFC 3986, sections 2.1 and 2.3).
enum PercentEncoding {
    /// Everything but the unreserved characters is encoded.
    static func encode(_ text: some Sequence<UInt8>) -> [UInt8] {
        var encoded: [UInt8] = []
        for byte in text {
            if isUnreserved(byte) {
                encoded.append(byte)
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                encoded.append(contentsOf: (byte < 16 ? "%0" : "%").utf8)
                encoded.append(contentsOf: digits.utf8)
            }
        }
        return encoded
    }

    /// A `%` that two hexadecimal digits do not follow stands for itself.
    static func decode(_ text: ArraySlice<UInt8>, plus: UInt8) -> [UInt8] {
        var decoded: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2,
                let high = JSONString.hexadecimalDigit(rest[rest.startIndex]),
                let low = JSONString.hexadecimalDigit(rest[rest.startIndex + 1])
            {
                decoded.append(UInt8(high << 4 | low))
                rest = rest.dropFirst(2)
            } else {
                decoded.append(byte == UInt8(ascii: "+") ? plus : byte)
            }
        }
        return decoded
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
