// SPDX-License-Identifier: Apache-2.0
internal import SidingJSON
internal import SidingSQLite
internal import SidingSynchronization

/// The values of stored columns as the page's reader found them, bound to the statement that writes the record.
///
/// SQLite computes eight columns of a record of 500 bytes in 15 µs, twice the time of the rest of saving it. This gives the same
/// values for usual records in a tenth of that. A record with a value that is unusual for its column's type is left to the
/// column's expression, which alone decides what a column shows: a test compares both for values of all kinds.
struct ScannedColumns {
    private let columns: [StoredColumn]
    /// The index of each column's value among those of a record.
    private let places: [Int]

    /// - Parameter paths: the paths of the values that were read; see `RecordSlice.columns`.
    /// - Returns: nil if the columns are always computed by their expressions, or there are none.
    init?(_ columns: [StoredColumn], readAt paths: [JSONPath]) {
        let places = columns.compactMap { stored in
            stored.column.type == .json || !Self.isPlain(stored.column.path)
                ? nil : paths.firstIndex(of: stored.column.path)
        }
        guard !columns.isEmpty, places.count == columns.count else { return nil }
        (self.columns, self.places) = (columns, places)
    }

    /// Whether SQLite's paths find the same members as the reader's: it may spell some names otherwise.
    private static func isPlain(_ path: JSONPath) -> Bool {
        !path.components.isEmpty
            && path.components.allSatisfy { component in
                guard case .member(let name) = component else { return false }
                return !name.isEmpty
                    && !name.utf8.contains { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") || $0 == 0 }
            }
    }

    /// A parameter for each column. SQLite itself reads the digits of a REAL, as it does in a column's expression.
    var parameters: [SQL] {
        columns.map { [.real, .decimal].contains($0.column.type) ? "CAST(? AS REAL)" : "?" }
    }

    /// Binds the values of a record to the parameters from `first` on. The record's bytes must stay valid until the statement has
    /// been executed.
    ///
    /// - Parameter values: those of the record; empty if unknown.
    /// - Returns: false if the columns' expressions have to compute them.
    func bind(
        _ values: [EnvelopeValue?], of record: UnsafeRawBufferPointer, to statement: inout Statement, from first: Int
    ) throws -> Bool {
        guard !values.isEmpty else { return false }
        for (index, column) in columns.enumerated() {
            guard let value = ScannedValue(values[places[index]], in: record, as: column.column.type) else {
                return false
            }
            switch value {
            case .null: try statement.bindNull(first + index)
            case .integer(let integer): try statement.bind(first + index, integer)
            case .bytes(let bytes): try statement.bindTextBytes(first + index, bytes)
            case .text(let text): try statement.bind(first + index, text)
            }
        }
        return true
    }
}

/// What a column of some type stores of a JSON value, for values that are usual for the type.
enum ScannedValue {
    case null
    case integer(Int64)
    /// Text as it stands in the record; for a REAL its digits.
    case bytes(UnsafeRawBufferPointer)
    case text(String)

    /// - Returns: nil if ``ColumnExpression`` has to decide.
    init?(_ found: EnvelopeValue?, in record: UnsafeRawBufferPointer, as type: ColumnType) {
        guard let found, found.kind != .null else {
            self = .null
            return
        }
        guard let bytes = found.bytes(in: record) else { return nil }
        let value: ScannedValue? =
            switch (type, found.kind) {
            case (.any, .string), (.text, .string): Self.string(found, bytes, in: record)
            case (.any, .true), (.boolean, .true): .integer(1)
            case (.any, .false), (.boolean, .false): .integer(0)
            case (.any, .number), (.integer, .number), (.boolean, .number):
                RecordsTable.integer(bytes).map(ScannedValue.integer)
            case (.text, .number), (.text, .true), (.text, .false): .bytes(bytes)
            case (.real, .number), (.decimal, .number): Self.real(bytes, isInteger: found.isInteger(in: record))
            case (.decimal, .string): Self.decimal(Self.contents(bytes))
            case (.date, .string): Self.date(Self.contents(bytes))
            case (.datetime(.rfc3339), .string): UsualTime.rfc3339(Self.contents(bytes)).map(ScannedValue.text)
            case (.datetime(.epoch), .number): Self.time(bytes, unit: 1000)
            case (.datetime(.epochMilliseconds), .number): Self.time(bytes, unit: 1)
            default: nil
            }
        guard let value else { return nil }
        self = value
    }

    /// An integer is a REAL without loss if it is below 2 to the 53, so with 15 digits. The sign of `-0` would be kept.
    private static func real(_ digits: UnsafeRawBufferPointer, isInteger: Bool) -> ScannedValue? {
        guard isInteger else { return .bytes(digits) }
        return digits.count <= 15 && !digits.elementsEqual("-0".utf8) ? .bytes(digits) : nil
    }

    /// A number as amounts are usually written: digits, and a point with digits behind it.
    private static func decimal(_ text: UnsafeRawBufferPointer) -> ScannedValue? {
        let parts = text.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        let isUsual = parts.allSatisfy { !$0.isEmpty && $0.allSatisfy { $0 &- UInt8(ascii: "0") < 10 } }
        return isUsual && text.count <= 15 ? .bytes(text) : nil
    }

    private static func date(_ text: UnsafeRawBufferPointer) -> ScannedValue? {
        text.count == 10 && UsualTime.isDay(text) ? .bytes(text) : nil
    }

    private static func contents(_ string: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: string.dropFirst().dropLast())
    }

    private static func string(
        _ found: EnvelopeValue, _ bytes: UnsafeRawBufferPointer, in record: UnsafeRawBufferPointer
    ) -> ScannedValue? {
        let contents = contents(bytes)
        guard contents.contains(UInt8(ascii: "\\")) else { return .bytes(contents) }
        // SQLite ends a text at U+0000.
        guard let text = found.string(in: record), !text.utf8.contains(0) else { return nil }
        return .text(text)
    }

    /// - Parameter unit: its length in milliseconds.
    private static func time(_ digits: UnsafeRawBufferPointer, unit: Int64) -> ScannedValue? {
        guard let number = RecordsTable.integer(digits), number >= 0, number <= UsualTime.last / unit else {
            return nil
        }
        return .text(UsualTime.text(milliseconds: number * unit))
    }
}

/// Times as most origins write them, shown as SQLite's `strftime('%Y-%m-%dT%H:%M:%fZ')` shows them.
enum UsualTime {
    /// The end of the year 9999, in milliseconds since 1970.
    static let last: Int64 = 253_402_300_799_999

    /// Reads `2024-01-31T09:30:00Z`, also with one to nine digits of a fraction and with the offset `+00:00`; what does not begin
    /// with a digit is no time and stays as it is.
    ///
    /// - Parameter text: the contents of a JSON string.
    static func rfc3339(_ text: UnsafeRawBufferPointer) -> String? {
        guard let first = text.first else { return "" }
        guard first &- UInt8(ascii: "0") < 10 else {
            // SQLite shows moments before the year 0 with a sign.
            guard first != UInt8(ascii: "-"), !text.contains(UInt8(ascii: "\\")) else { return nil }
            return String(decoding: text, as: UTF8.self)
        }
        guard text.count >= 20, isCalendarTime(text), let milliseconds = fraction(text.dropFirst(19)) else {
            return nil
        }
        return String(unsafeUninitializedCapacity: 24) { shown in
            for index in 0..<19 { shown[index] = text[index] }
            shown[19] = UInt8(ascii: ".")
            write(milliseconds, digits: 3, at: 20, of: shown)
            shown[23] = UInt8(ascii: "Z")
            return 24
        }
    }

    /// - Parameter milliseconds: since 1970, at most ``last``.
    static func text(milliseconds: Int64) -> String {
        let date = UTCDate(secondsSince1970: Double(milliseconds / 1000))
        let seconds = date?.iso8601.dropLast() ?? ""
        return String(unsafeUninitializedCapacity: 24) { shown in
            for (index, byte) in seconds.utf8.enumerated() { shown[index] = byte }
            shown[19] = UInt8(ascii: ".")
            write(Int(milliseconds % 1000), digits: 3, at: 20, of: shown)
            shown[23] = UInt8(ascii: "Z")
            return 24
        }
    }

    private static func write(_ number: Int, digits: Int, at place: Int, of text: UnsafeMutableBufferPointer<UInt8>) {
        var rest = number
        for index in stride(from: place + digits - 1, through: place, by: -1) {
            text[index] = UInt8(ascii: "0") + UInt8(rest % 10)
            rest /= 10
        }
    }

    /// Whether the text, of at least ten bytes, begins with a day of the calendar.
    static func isDay(_ text: UnsafeRawBufferPointer) -> Bool {
        guard let year = number(text[0..<4]), let month = number(text[5..<7]), let day = number(text[8..<10]),
            text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-")
        else { return false }
        return year >= 1 && (1...12).contains(month) && day >= 1 && day <= UTCDate.days(inMonth: month, ofYear: year)
    }

    private static func isCalendarTime(_ text: UnsafeRawBufferPointer) -> Bool {
        guard isDay(text), let hour = number(text[11..<13]), let minute = number(text[14..<16]),
            let second = number(text[17..<19]), text[10] == UInt8(ascii: "T"), text[13] == UInt8(ascii: ":"),
            text[16] == UInt8(ascii: ":")
        else { return false }
        return hour < 24 && minute < 60 && second < 60
    }

    /// The milliseconds of what follows the seconds, rounded; nil unless it is an optional fraction and UTC.
    private static func fraction(_ rest: Slice<UnsafeRawBufferPointer>) -> Int? {
        var rest = rest
        var milliseconds = 0
        if rest.first == UInt8(ascii: ".") {
            let digits = rest.dropFirst().prefix { $0 &- UInt8(ascii: "0") < 10 }
            guard (1...9).contains(digits.count), let number = number(digits) else { return nil }
            let nanoseconds = (digits.count..<9).reduce(number) { number, _ in number * 10 }
            let beyond = nanoseconds % 1_000_000
            // Whether SQLite rounds a half up depends on the binary fraction, and a carry would change the seconds.
            guard abs(beyond - 500_000) > 1, nanoseconds < 999_000_000 else { return nil }
            milliseconds = nanoseconds / 1_000_000 + (beyond > 500_000 ? 1 : 0)
            rest = rest.dropFirst(1 + digits.count)
        }
        return rest.elementsEqual("Z".utf8) || rest.elementsEqual("+00:00".utf8) ? milliseconds : nil
    }

    private static func number(_ digits: Slice<UnsafeRawBufferPointer>) -> Int? {
        var number = 0
        for byte in digits {
            let digit = byte &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            number = number * 10 + Int(digit)
        }
        return number
    }
}
