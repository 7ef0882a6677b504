// SPDX-License-Identifier: Apache-2.0
/// Writes JSON on one line into memory.
///
/// The output is safe on a terminal: C0, DEL and C1 control characters are escaped (RFC 8259, section 7, demands only C0). The
/// writer inserts commas; the caller must end arrays and objects and write a name before each member's value.
package struct JSONWriter: Sendable {
    /// The JSON so far, in UTF-8; complete once every array and object has been ended.
    package private(set) var bytes: [UInt8] = []
    private var needsComma = false

    /// A writer without any output yet.
    package init() {}

    /// Writes `{`; then a name and a value for each member.
    package mutating func beginObject() { begin(UInt8(ascii: "{")) }
    /// Writes `}`.
    package mutating func endObject() { end(UInt8(ascii: "}")) }
    /// Writes `[`; then the elements.
    package mutating func beginArray() { begin(UInt8(ascii: "[")) }
    /// Writes `]`.
    package mutating func endArray() { end(UInt8(ascii: "]")) }

    /// Writes a member's name; its value must follow.
    package mutating func name(_ name: String) {
        string(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Writes a string in double quotes, with the escapes that JSON and terminals need.
    package mutating func string(_ text: String) {
        var text = text
        text.withUTF8 { string(UnsafeRawBufferPointer($0)) }
    }

    /// Writes a string from UTF-8; invalid bytes become U+FFFD.
    package mutating func string(_ utf8: UnsafeRawBufferPointer) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        if utf8.allSatisfy({ (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }) {
            bytes.append(contentsOf: utf8)
        } else {
            for scalar in String(decoding: utf8, as: UTF8.self).unicodeScalars { character(scalar) }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Writes a number with all its digits, also beyond 2^53.
    package mutating func integer(_ number: some BinaryInteger) {
        text(String(number))
    }

    /// Writes the shortest digits that read back as the same number; null for infinities and NaN, which JSON lacks.
    package mutating func double(_ number: Double) {
        text(number.isFinite ? number.description : "null")
    }

    /// Writes `true` or `false`.
    package mutating func bool(_ value: Bool) { text(value ? "true" : "false") }
    /// Writes `null`.
    package mutating func null() { text("null") }

    /// Writes a valid JSON value without whitespace between tokens. Inside strings, characters that affect terminals are escaped;
    /// all else is kept byte for byte.
    package mutating func raw(_ json: UnsafeRawBufferPointer) {
        separate()
        bytes.reserveCapacity(bytes.count + json.count)
        var isInString = false
        var isEscaped = false
        var index = 0
        while index < json.count {
            let byte = json[index]
            index += 1
            if isInString, byte >= 0x7F {
                index += foreign(json, at: index - 1) - 1
            } else if isInString {
                bytes.append(byte)
                isInString = isEscaped || byte != UInt8(ascii: "\"")
                isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
            } else if !Self.isSpace(byte) {
                bytes.append(byte)
                isInString = byte == UInt8(ascii: "\"")
            }
        }
    }

    /// Copies or escapes one character beyond printable ASCII inside a string.
    ///
    /// - Returns: the number of its bytes.
    private mutating func foreign(_ json: UnsafeRawBufferPointer, at index: Int) -> Int {
        var rest = json[index...].makeIterator()
        var decoder = UTF8()
        guard case .scalarValue(let scalar) = decoder.decode(&rest) else {
            bytes.append(json[index])
            return 1
        }
        if PlainText.isHarmless(scalar) {
            bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
        } else {
            for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter { escape(unit) }
        }
        return UTF8.width(scalar)
    }

    private mutating func escape(_ unit: UInt16) {
        let digits = String(unit, radix: 16)
        bytes.append(contentsOf: "\\u".utf8)
        bytes.append(contentsOf: String(repeating: "0", count: 4 - digits.count).utf8)
        bytes.append(contentsOf: digits.utf8)
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }

    private mutating func begin(_ bracket: UInt8) {
        separate()
        bytes.append(bracket)
        needsComma = false
    }

    private mutating func end(_ bracket: UInt8) {
        bytes.append(bracket)
        needsComma = true
    }

    private mutating func text(_ text: String) {
        separate()
        bytes.append(contentsOf: text.utf8)
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    private mutating func character(_ scalar: Unicode.Scalar) {
        switch scalar {
        case "\"": bytes.append(contentsOf: "\\\"".utf8)
        case "\\": bytes.append(contentsOf: "\\\\".utf8)
        case "\n": bytes.append(contentsOf: "\\n".utf8)
        case "\r": bytes.append(contentsOf: "\\r".utf8)
        case "\t": bytes.append(contentsOf: "\\t".utf8)
        case _ where !PlainText.isHarmless(scalar):
            for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter { escape(unit) }
        default: bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
        }
    }
}
