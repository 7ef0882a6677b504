internal import Siding

/// How long what grows with time is kept: `keep:`, at the top level and of a resource.
enum KeepGrammar {
    /// The least age: pages that are under way may still show what was deleted.
    private static let least = Duration.seconds(3_600)

    private static let schema: SchemaValue = ["type": "string", "pattern": .string(DurationText.pattern)]

    private static let age = ValueType<Duration>.scalar("an age of at least 1h such as 30d", schema: schema) {
        text, _ in
        parse(text)
    }

    private static func parse(_ text: String) -> ScalarReading<Duration> {
        if let age = DurationText.parse(text), isAge(age) { return .value(age) }
        let suggestion = DurationText.suggestion(text).flatMap { meant in
            DurationText.parse(meant).map(isAge) == true ? meant : nil
        }
        return .refused(suggestion: suggestion)
    }

    private static func isAge(_ age: Duration) -> Bool { DurationText.range.contains(age) && age >= least }

    private static let runs = Keyword(
        "runs", age, default: "30d", "How long ended runs are kept. The newest 1,000 are always kept.")
    private static let done = Keyword("done", age, default: "30d", "How long completed queue entries are kept.")
    private static let deleted = Keyword(
        "deleted", age, default: "90d", "How long deleted records are kept as tombstones.")

    static let shape = Shape<KeepRules>([runs.entry, done.entry, deleted.entry]) { object, reading in
        let usual = KeepRules()
        return KeepRules(
            runs: object.value(runs, &reading) ?? usual.runs, done: object.value(done, &reading) ?? usual.done,
            deleted: object.value(deleted, &reading) ?? usual.deleted)
    }

    // MARK: Of a resource

    private static let records = Keyword(
        "records", retention, isRequired: true,
        "The age, counted from their last change, or the number of the records that are kept.")

    static let ofResource = Shape<RecordRetention?>([records.entry]) { object, reading in
        object.value(records, &reading)
    }

    private static let counts = 1...1_000_000_000

    private static let retention = ValueType<RecordRetention>.scalar(
        "an age of at least 1h such as 90d, or a number of records such as 10000",
        schema: ["anyOf": [schema, ValueType<Int>.integer(counts).schema]]
    ) { text, isPlain in
        if isPlain, let count = Int(text), String(count) == text, counts.contains(count) {
            return .value(.count(count))
        }
        switch parse(text) {
        case .value(let age): return .value(.age(age))
        case .refused(let suggestion): return .refused(suggestion: suggestion)
        }
    }
}
