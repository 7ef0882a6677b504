import Siding
import SidingInspection
import SidingJSON
import SidingSQLite

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

extension ExportedValue {
    /// The text of a CSV or TSV field: strings unquoted, other values as their JSON; nil for null.
    var field: [UInt8]? {
        switch self {
        case .cell(.null): nil
        case .cell(.integer(let number)): Array(String(number).utf8)
        case .cell(.real(let number)): Array(number.description.utf8)
        case .cell(.text(let text)): Array(text.utf8)
        case .cell(.blob(let bytes)): bytes
        case .json(let json): Self.field(json)
        }
    }

    private static func field(_ json: [UInt8]) -> [UInt8]? {
        switch json.first {
        case UInt8(ascii: "\""):
            json.withUnsafeBytes { json in
                // Half of a surrogate pair cannot be decoded; the JSON is kept.
                JSONMembers.value(at: .root, in: json)?.string(in: json).map { Array($0.utf8) } ?? Array(json)
            }
        case UInt8(ascii: "n"): nil
        default: json
        }
    }

    /// Adds the value to an object of `--json`.
    func add(_ name: String, to object: inout JSONObject) {
        switch self {
        case .cell(.null): object.add(name, JSONText.null)
        case .cell(.integer(let number)): object.add(name, number)
        case .cell(.real(let number)): object.add(name, number)
        case .cell(.text(let text)): object.add(name, text)
        case .cell(.blob(let bytes)): object.body(name, bytes)
        case .json(let json): object.add(name, JSONText(json))
        }
    }
}
