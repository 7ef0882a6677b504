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

    init(_ value: ColumnValue, as type: ColumnType) {
        let text: String
        switch value {
        case .json(let bytes): text = String(decoding: bytes, as: UTF8.self)
        case .cell(.null):
            self = .null
            return
        case .cell(.integer(let integer)): text = String(integer)
        case .cell(.real(let real)):
            guard real.isFinite else {
                self = .misfit
                return
            }
            text = String(real)
        case .cell(.text(let string)): text = string
        case .cell(.blob):
            self = .misfit
            return
        }
        self = Self.fits(text, type, isJSON: value.isJSON) ? .text(text) : .misfit
    }

    /// Any text but one with NUL, which PostgreSQL cannot store.
    static func isStorable(_ text: String) -> Bool { !text.utf8.contains(0) }

    private static func fits(_ text: String, _ type: ColumnType, isJSON: Bool) -> Bool {
        switch type {
        case .any, .text: isStorable(text)
        case .integer: Int64(text) != nil
        case .real: Double(text)?.isFinite ?? false
        case .decimal: isDecimal(text)
        case .boolean: ["true", "false", "0", "1"].contains(text)
        case .datetime:
            text.wholeMatch(of: #/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}(\.[0-9]{1,9})?Z/#) != nil && isDated(text)
        case .date: text.wholeMatch(of: #/[0-9]{4}-[0-9]{2}-[0-9]{2}/#) != nil && isDated(text)
        case .json: isStorable(text) && (try? JSONDocument(text)) != nil
        }
    }

    /// There is no year 0 in PostgreSQL.
    private static func isDated(_ text: String) -> Bool {
        guard !text.hasPrefix("0000"), let month = Int(text.dropFirst(5).prefix(2)),
            let day = Int(text.dropFirst(8).prefix(2))
        else { return false }
        let time = text.contains("T") ? text : "\(text)T00:00:00Z"
        return (1...12).contains(month) && (1...31).contains(day) && Timestamp(rfc3339: time) != nil
    }

    /// A number that `numeric` can hold: its exponent has bounds (PostgreSQL's documentation, "Arbitrary Precision Numbers").
    private static func isDecimal(_ text: String) -> Bool {
        guard text.utf8.count <= 1_000,
            let parts = text.wholeMatch(of: #/-?[0-9]+(?:\.[0-9]+)?(?:[eE]([+-]?[0-9]{1,4}))?/#)
        else { return false }
        return parts.1.flatMap { Int($0) }.map { abs($0) <= 1_000 } ?? true
    }
}

extension ColumnValue {
    fileprivate var isJSON: Bool { if case .json = self { true } else { false } }
}
