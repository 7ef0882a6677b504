// SPDX-License-Identifier: Apache-2.0
internal import SidingJSON

/// Writes valid JSON with line breaks and indentation. Numbers keep their digits; characters in strings are shown as
/// themselves, and invisible ones escaped, so that what is shown can be edited.
struct PrettyJSON {
    private var text: [UInt8] = []
    private var depth = 0

    /// - Parameter limit: how many bytes to write at most.
    static func text(_ json: [UInt8], limit: Int) -> [UInt8] {
        var plain = JSONWriter()
        json.withUnsafeBytes { plain.raw($0) }
        var writer = PrettyJSON()
        var isInString = false
        var isEscaped = false
        for byte in ReadableJSON.bytes(plain.bytes) {
            guard writer.text.count < limit else { break }
            if isInString {
                writer.text.append(byte)
                isInString = isEscaped || byte != UInt8(ascii: "\"")
                isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
            } else {
                isInString = byte == UInt8(ascii: "\"")
                writer.write(byte)
            }
        }
        return Array(writer.text.prefix(limit))
    }

    private mutating func write(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            breakLineAfterBracket()
            text.append(byte)
            depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            depth -= 1
            if !endsWithBracket { breakLine() }
            text.append(byte)
        case UInt8(ascii: ","):
            text.append(byte)
            breakLine()
        case UInt8(ascii: ":"):
            text += [byte, UInt8(ascii: " ")]
        default:
            breakLineAfterBracket()
            text.append(byte)
        }
    }

    /// Brackets break the line when their first value is there, so that empty ones stay together.
    private mutating func breakLineAfterBracket() {
        if endsWithBracket { breakLine() }
    }

    private var endsWithBracket: Bool { text.last == UInt8(ascii: "{") || text.last == UInt8(ascii: "[") }

    private mutating func breakLine() {
        // Deep values stay readable.
        text += [UInt8(ascii: "\n")] + [UInt8](repeating: UInt8(ascii: " "), count: 2 * min(depth, 30))
    }
}
