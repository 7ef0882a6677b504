// SPDX-License-Identifier: Apache-2.0
internal import Siding
internal import SidingChain

/// How long what grows with time is kept: `keep:`, at the top level and of a resource.
enum KeepGrammar {
    private static let least = KeepRules.least

    private static let age = ValueType<Duration>.span("an age of at least 1h such as 30d", atLeast: least)

    private static let runs = Keyword(
        "runs", age, default: "30d",
        "How long ended runs are kept. The newest 1,000, and the newest of each resource, are always kept.")
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
        schema: ["anyOf": [age.schema, ValueType<Int>.integer(counts).schema]]
    ) { text, isPlain in
        if isPlain, let count = Int(text), String(count) == text, counts.contains(count) {
            return .value(.count(count))
        }
        if let age = DurationText.parse(text, atLeast: least) { return .value(.age(age)) }
        return .noDuration(text, atLeast: least)
    }
}
