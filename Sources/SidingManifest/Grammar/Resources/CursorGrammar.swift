// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Siding
internal import SidingJSON
internal import SidingPaging

/// Incremental listings: `cursor:`.
enum CursorGrammar {
    private static let path = Keyword(
        "path", .path, "The path of the value in each record. One of path, envelope and header.")
    private static let envelope = Keyword(
        "envelope", .path,
        "The path of the value in the envelope; the last page that has one counts. A token, unless type is given.")
    private static let header = Keyword(
        "header", .headerName, "The header field of the first answer that holds the value, such as Date.")
    private static let type = Keyword(
        "type", ValueType<CursorType>.choice, default: "datetime",
        "The type of the value, by which two values are compared.")
    private static let keep = Keyword(
        "keep", ValueType<IncrementalCursor.Direction>.choice, default: "max",
        "max: the greater of two values is later; min: the smaller.")
    private static let start = Keyword(
        "start", ValueType<String>.text("a value such as 2024-01-01T00:00:00Z"),
        "The value at which the first listing, and one with --full, begins. Without it: they fetch everything.")
    private static let lookback = Keyword(
        "lookback", step,
        "How far behind the cursor a listing begins: a duration, or a number where the type is integer.")
    private static let order = Keyword(
        "order", ValueType<IncrementalCursor.Order>.choice,
        "asc: oldest first, each page moves the cursor; desc: newest first, the listing ends at the cursor.")
    private static let retention = Keyword(
        "retention", .duration, "How long the origin remembers changes; an older cursor leads to a full listing.")
    private static let format = Keyword(
        "format", ValueType<CursorType>.choice, "How a time is written in requests. Without it: as in the records.")

    static let shape = Shape<IncrementalCursor>([
        path.entry, envelope.entry, header.entry, type.entry, keep.entry, start.entry, lookback.entry, order.entry,
        retention.entry, format.entry,
    ]) { object, reading in
        let places: [IncrementalCursor.Place] = [
            object.value(path, &reading).map { .record($0) }, object.value(envelope, &reading).map { .envelope($0) },
            object.value(header, &reading).map { .header($0) },
        ].compactMap { $0 }
        let named = [path.name, envelope.name, header.name].filter { object.entry($0) != nil }
        let isToken = named == [envelope.name] && object.entry(type.name) == nil
        var cursor = IncrementalCursor(
            at: places.first ?? .record(.root), type: object.value(type, &reading) ?? (isToken ? .text : .datetime),
            direction: object.value(keep, &reading) ?? .max, order: object.value(order, &reading),
            retention: object.value(retention, &reading), format: object.value(format, &reading))
        let start = object.located(start, &reading)
        let lookback = object.located(lookback, &reading)
        (cursor.start, cursor.lookback) = (start?.value, lookback?.value)
        guard named.count == 1 else {
            reading.fault(
                "\(reading.subject) does not say where its value is", at: object.place,
                expected: "one of path, envelope and header")
            return nil
        }
        check(cursor, start, lookback, object.located(order, &reading)?.place ?? object.place, &reading)
        return places.first.map { _ in cursor }
    }

    private static func check(
        _ cursor: IncrementalCursor, _ start: Located<String>?, _ lookback: Located<IncrementalCursor.Lookback>?,
        _ place: Place, _ reading: inout Reading
    ) {
        let type = cursor.type
        if let start, !type.takes(start.value) {
            reading.fault(
                "\(start.subject) is \(Subject.quoted(start.value))", at: start.place,
                expected: "a value of type \(type.rawValue)")
        }
        if let lookback {
            let fits =
                switch lookback.value {
                case .time: type.isTime
                case .count: type == .integer
                }
            if !fits {
                let expected =
                    type.isTime ? "a duration such as 10m" : type == .integer ? "a number" : "no lookback with text"
                reading.fault(
                    "\(lookback.subject) does not go with type \(type.rawValue)", at: lookback.place, expected: expected
                )
            }
        }
        if let format = cursor.format, !(type.isTime && format.isTime) {
            reading.fault(
                "\(reading.subject) has format \(format.rawValue) with type \(type.rawValue)", at: place,
                expected: "two types of times")
        }
        if case .record = cursor.place { return }
        if cursor.order != nil || cursor.direction == .min {
            reading.fault(
                "\(reading.subject) has an order, which only values of records have", at: place, expected: "path")
        }
    }

    private static let step = ValueType<IncrementalCursor.Lookback>(
        "a duration such as 10m, or a number", schema: ["anyOf": [ValueType<Duration>.duration.schema, count.schema]]
    ) { node, reading in
        if case .scalar(let text, true) = node.content, text.allSatisfy(\.isNumber) {
            return count.read(node, &reading).map { .count(Int64($0)) }
        }
        return ValueType<Duration>.duration.read(node, &reading).map { .time($0) }
    }

    private static let count = ValueType<Int>.integer(1...1_000_000_000_000)
}
