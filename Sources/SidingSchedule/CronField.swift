// SPDX-License-Identifier: Apache-2.0
internal import SidingJSON

/// One of the five fields of a cron expression.
struct CronField: Sendable {
    let name: String
    let range: ClosedRange<Int>
    /// Words for the values, in order from the first one.
    let words: [String]
    private let isWeekday: Bool

    private init(_ name: String, _ range: ClosedRange<Int>, words: [String] = [], isWeekday: Bool = false) {
        (self.name, self.range, self.words, self.isWeekday) = (name, range, words, isWeekday)
    }

    static let minute = CronField("minute", 0...59)
    static let hour = CronField("hour", 0...23)
    static let day = CronField("day of the month", 1...31)
    static let month = CronField(
        "month", 1...12,
        words: ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"])
    static let weekday = CronField(
        "day of the week", 0...7, words: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"], isWeekday: true)

    /// The values that `text` stands for, as bits; Sunday is bit 0.
    func values(_ text: String) throws(ScheduleError) -> UInt64 {
        var bits: UInt64 = 0
        for item in text.split(separator: ",", omittingEmptySubsequences: false) {
            for value in try values(ofItem: String(item)) { bits |= 1 << UInt64(isWeekday ? value % 7 : value) }
        }
        return bits
    }

    /// One part of a list: `*`, `5`, `1-5`, `*/15`, `8-18/2`.
    private func values(ofItem item: String) throws(ScheduleError) -> StrideThrough<Int> {
        let parts = item.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        let bounds = try bounds(of: parts[0])
        guard parts.count > 1 else { return stride(from: bounds.lowerBound, through: bounds.upperBound, by: 1) }
        guard parts.count == 2, parts[0] == "*" || parts[0].contains("-") else {
            throw refused(item, "a step such as */15 or 8-18/2")
        }
        guard let step = Self.number(parts[1]), (1...range.upperBound).contains(step) else {
            throw refused(item, "a step from 1 to \(range.upperBound)")
        }
        return stride(from: bounds.lowerBound, through: bounds.upperBound, by: step)
    }

    private func bounds(of text: String) throws(ScheduleError) -> ClosedRange<Int> {
        // With 7 a step would count Sunday twice.
        if text == "*" { return range.lowerBound...(isWeekday ? 6 : range.upperBound) }
        let ends = text.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
        guard ends.count <= 2, let first = value(ends[0]), var last = value(ends[ends.count - 1]) else {
            throw refused(text, expected)
        }
        if isWeekday, ends.count == 2, last == 0 { last = 7 }
        guard first <= last else { throw refused(text, "a range that begins with its smaller end") }
        return first...last
    }

    private func value(_ text: String) -> Int? {
        if let index = words.firstIndex(of: text.lowercased()) { return range.lowerBound + index }
        return Self.number(text).flatMap { range.contains($0) ? $0 : nil }
    }

    private static func number(_ text: String) -> Int? {
        text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int(text) : nil
    }

    private var expected: String {
        let named = words.first.map { " or \($0) to \(words[words.count - 1])" } ?? ""
        return
            "\(range.lowerBound) to \(range.upperBound)\(named), *, ranges such as 1-5, steps such as */2, or a list of these"
    }

    private func refused(_ text: String, _ expected: String) -> ScheduleError {
        ScheduleError("the \(name) is '\(PlainText.oneLine(text, limit: 60))'", expected: expected)
    }
}
