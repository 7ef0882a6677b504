// SPDX-License-Identifier: Apache-2.0
internal import Siding
internal import SidingChain
internal import SidingJSON
internal import SidingSQLite

/// The text of a value that a column of the hub takes, or that it does not fit there.
///
/// Every value is checked before it is sent: one that the server refused would stop the station at that record for ever. What
/// does not fit is NULL in its column, counted and told; the record's body has it all the same.
enum HubValue: Equatable {
    case null
    case text(String)
    case misfit

    /// The text; nil for NULL, as which a misfit is sent.
    var text: String? { if case .text(let text) = self { text } else { nil } }

    init(_ value: ColumnValue, as type: ColumnType) {
        let text: String
        switch value {
        case .json(let bytes): text = String(decoding: bytes, as: UTF8.self)
        case .cell(.null):
            self = .null
            return
        case .cell(.integer(let integer)): text = String(integer)
        case .cell(.real(let real)): text = String(real)
        case .cell(.text(let string)): text = string
        case .cell(.blob):
            self = .misfit
            return
        }
        self = Self.fitted(text, type).map { .text($0) } ?? .misfit
    }

    private static func fitted(_ text: String, _ type: ColumnType) -> String? {
        switch type {
        case .any, .text: isStorable(text) ? text : nil
        case .integer: Int64(text) == nil ? nil : text
        case .real: real(text)
        case .decimal: isDecimal(text) ? text : nil
        case .boolean: ["true", "false", "0", "1"].contains(text) ? text : nil
        case .datetime: datetime(text)
        case .date: text.utf8.count == 10 && datetime(text) != nil ? text : nil
        case .json: isStorable(text) && (try? JSONDocument(text)) != nil ? text : nil
        }
    }

    // MARK: Texts

    /// Any text but one with NUL, which PostgreSQL cannot store.
    static func isStorable(_ text: String) -> Bool { !text.utf8.contains(0) }

    /// Whether PostgreSQL can read a body, which it does by recursion: its stack ends at some 8,000 levels by default
    /// (`max_stack_depth`), and SQLite's JSON functions at 1,000.
    static func isReadable(_ body: [UInt8]) -> Bool {
        guard body.count >= 2 * deepest else { return true }
        var (depth, isInString, isEscaped) = (0, false, false)
        for byte in body {
            switch byte {
            case _ where isEscaped: isEscaped = false
            case UInt8(ascii: "\\"): isEscaped = true
            case UInt8(ascii: "\""): isInString.toggle()
            case _ where isInString: continue
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                depth += 1
                if depth > deepest { return false }
            case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
            default: continue
            }
        }
        return true
    }

    private static let deepest = 1_000

    // MARK: Numbers

    /// In digits that are not too small for the server, as those of `1e-400` would be; in the file that is 0, too.
    private static func real(_ text: String) -> String? {
        // Double reads hexadecimal digits and names of infinity, too.
        guard text.utf8.allSatisfy({ isDigit($0) || "+-.eE".utf8.contains($0) }), let real = Double(text), real.isFinite
        else { return nil }
        return String(real)
    }

    /// A number that `numeric` can hold, in other servers of its protocol too. PostgreSQL has room for 131,072 digits before
    /// the point and 16,383 behind it; a short text with a large exponent would take all of it.
    private static func isDecimal(_ text: String) -> Bool {
        guard text.utf8.count <= 1_000 else { return false }
        var rest = text.utf8[...]
        func skipDigits() -> Bool {
            let count = rest.prefix(while: isDigit).count
            rest = rest.dropFirst(count)
            return count > 0
        }
        if rest.first == UInt8(ascii: "-") { rest = rest.dropFirst() }
        guard skipDigits() else { return false }
        if rest.first == UInt8(ascii: ".") {
            rest = rest.dropFirst()
            guard skipDigits() else { return false }
        }
        guard let letter = rest.first else { return true }
        guard letter | 0x20 == UInt8(ascii: "e"), let exponent = Int(Substring(rest.dropFirst())) else { return false }
        return (-1_000...1_000).contains(exponent)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    // MARK: Times

    /// The time as Siding writes it: the server refuses a leap second with a fraction, and knows no year 0.
    private static func datetime(_ text: String) -> String? {
        guard let time = Timestamp(rfc3339: text)?.rfc3339, time.utf8.count == 24, !time.hasPrefix("0000") else {
            return nil
        }
        return time
    }
}
