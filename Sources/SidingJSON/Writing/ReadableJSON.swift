// SPDX-License-Identifier: Apache-2.0
/// JSON for people: text in its own characters instead of `\u00e7`.
package enum ReadableJSON {
    /// The same JSON, in which the escapes of harmless characters are those characters. Escapes of all others stay, as
    /// the characters would end a string or could not be seen.
    package static func bytes(_ json: [UInt8]) -> [UInt8] {
        guard json.contains(UInt8(ascii: "\\")) else { return json }
        var readable: [UInt8] = []
        readable.reserveCapacity(json.count)
        var rest = json[...]
        while let byte = rest.first {
            if byte != UInt8(ascii: "\\") {
                readable.append(byte)
                rest = rest.dropFirst()
            } else if let (scalar, length) = escaped(rest), isPlain(scalar), let bytes = UTF8.encode(scalar) {
                readable += bytes
                rest = rest.dropFirst(length)
            } else {
                // With the character behind it: that of `\\` begins no further escape.
                readable += rest.prefix(2)
                rest = rest.dropFirst(2)
            }
        }
        return readable
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        scalar != "\"" && scalar != "\\" && PlainText.isHarmless(scalar)
    }

    /// The character of an escape with which `json` begins, which may be a pair of surrogates, and the length of the
    /// escape.
    private static func escaped(_ json: ArraySlice<UInt8>) -> (Unicode.Scalar, length: Int)? {
        guard let first = unit(json) else { return nil }
        if let scalar = Unicode.Scalar(first) { return (scalar, 6) }
        guard UTF16.isLeadSurrogate(first), let second = unit(json.dropFirst(6)), UTF16.isTrailSurrogate(second) else {
            return nil
        }
        return (UTF16.decode(UTF16.EncodedScalar([first, second])), 12)
    }

    /// The number in `\uXXXX`.
    private static func unit(_ json: ArraySlice<UInt8>) -> UInt16? {
        guard json.starts(with: "\\u".utf8), json.count >= 6 else { return nil }
        let digits = json.dropFirst(2).prefix(4)
        guard digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else { return nil }
        return UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
    }
}
