// SPDX-License-Identifier: Apache-2.0
/// Formats rows of fields as CSV or TSV: CSV per RFC 4180, but with LF line ends, which all readers accept and line tools
/// expect; TSV escapes tab, newline, carriage return and backslash as `\t`, `\n`, `\r` and `\\`.
struct DelimitedText {
    let isCSV: Bool

    private static let quote = UInt8(ascii: "\"")
    private static let newline = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")
    private static let tab = UInt8(ascii: "\t")
    private static let backslash = UInt8(ascii: "\\")

    /// One row with its line end. In CSV nil is an empty field and an empty text is `""`; in TSV both are empty.
    func line(_ fields: [[UInt8]?]) -> [UInt8] {
        var line: [UInt8] = []
        for (index, field) in fields.enumerated() {
            if index > 0 { line.append(isCSV ? UInt8(ascii: ",") : Self.tab) }
            guard let field else { continue }
            if isCSV { Self.quoted(field, onto: &line) } else { Self.escaped(field, onto: &line) }
        }
        // Most readers skip an empty line, so a row of one nil field is written as `""`.
        if isCSV, line.isEmpty { line += [Self.quote, Self.quote] }
        line.append(Self.newline)
        return line
    }

    private static func quoted(_ field: [UInt8], onto line: inout [UInt8]) {
        let needsQuotes =
            field.isEmpty
            || field.contains { $0 == quote || $0 == UInt8(ascii: ",") || $0 == newline || $0 == carriageReturn }
        guard needsQuotes else {
            line += field
            return
        }
        line.append(quote)
        for byte in field {
            if byte == quote { line.append(quote) }
            line.append(byte)
        }
        line.append(quote)
    }

    private static func escaped(_ field: [UInt8], onto line: inout [UInt8]) {
        for byte in field {
            switch byte {
            case tab: line += [backslash, UInt8(ascii: "t")]
            case newline: line += [backslash, UInt8(ascii: "n")]
            case carriageReturn: line += [backslash, UInt8(ascii: "r")]
            case backslash: line += [backslash, backslash]
            default: line.append(byte)
            }
        }
    }
}
