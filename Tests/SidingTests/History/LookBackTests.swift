// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingJSON
import SidingOrigin
import Testing
import TestSupport

@testable import Siding
@testable import SidingTesting

/// What a query says of the past is what it said then.
@Suite struct LookBackTests {
    /// Numbers that a seed decides.
    private struct Dice {
        var generator: SeededGenerator

        mutating func roll(_ sides: Int) -> Int { Int.random(in: 0..<sides, using: &generator) }
    }

    private static let schema = RecordSchema(
        columns: [
            RecordColumn("id", .text, at: JSONPath(member: "id")), RecordColumn("v", .any, at: JSONPath(member: "v")),
            RecordColumn("n", .integer, at: JSONPath(member: "v"), isIndexed: true),
            RecordColumn("o", .json, at: JSONPath(member: "o")),
        ],
        children: [RecordChildren("tags", at: JSONPath(member: "tags"))])

    private static let values = [
        "1", "1.50", "-0", "12345678901234567890", #""x""#, #""\u0041""#, "null", "true", "[1, 2]", #"{"b": 1}"#,
        "1e400",
    ]

    private static func post(_ key: String, _ dice: inout Dice) -> String {
        let value = values[dice.roll(values.count)]
        let tags = (0..<dice.roll(3)).map { #"{"name":"t\#($0)","w":\#(values[dice.roll(4)])}"# }.joined(separator: ",")
        return #"{"id":"\#(key)","v":\#(value),"o":\#(values[dice.roll(values.count - 1)]),"tags":[\#(tags)]}"#
    }

    private static let queries = [
        "SELECT *, typeof(v), typeof(n), typeof(o), typeof(id) FROM posts",
        "SELECT *, typeof(siding_position) FROM posts_tags",
        "SELECT count(*) FROM posts",
        "SELECT p.id, count(*), sum(t.siding_position) FROM POSTS p JOIN posts_tags t ON t.siding_parent = p.siding_key GROUP BY 1",
        "SELECT id FROM posts WHERE n >= 1 ORDER BY n",
    ]

    @Test(arguments: 1...Proof.choose(short: 3, middle: 6, long: 120))
    func `as of any moment each query gives what it gave then`(seed: Int) async throws {
        var dice = Dice(generator: SeededGenerator(seed: UInt64(seed)))
        let bench = try await HistoryBench(HistoryRetention(), schema: Self.schema)
        // The views get all their columns first.
        try await bench.pull(#"[{"id":"z","v":0,"o":0,"tags":[{"name":"","w":0}]}]"#)
        let first = try await bench.edits.edit(.merge, "z", #"{"v":1}"#)
        var then: [(moment: Timestamp, answers: [[String]])] = []
        var open: [QueueEntry] = [first]
        for _ in 0..<25 {
            try await Self.change(bench, &open, &dice)
            var answers: [[String]] = []
            for query in Self.queries { answers.append(try await bench.rows(query)) }
            then.append((bench.time.now, answers))
        }
        for past in then {
            for (query, answer) in zip(Self.queries, past.answers) {
                #expect(try await bench.rows(query, at: past.moment) == answer, "seed \(seed): \(query)")
            }
            // Just before the next change nothing is different.
            let later = past.moment + .microseconds(999_999)
            guard later <= bench.time.now else { continue }
            #expect(try await bench.rows(Self.queries[0], at: later) == past.answers[0])
        }
        try await bench.edits.expectSound()
    }

    @Test func `a resource with a listing per parent is looked back at with its parent`() async throws {
        let bench = try await HistoryBench()
        func list(_ json: String) async throws {
            bench.time.advance(by: .seconds(1))
            var opening = try bench.sqlite.bench.opening(schema: bench.schema)
            opening.parent = ListingParent(resource: "issues", revision: 0, pass: nil)
            opening.first.scope = "7"
            try await bench.sqlite.bench.commit(json, try await bench.store.openListing(opening))
        }
        try await list(#"[{"id":"a","v":1},{"id":"b","v":1}]"#)
        let then = bench.time.now
        try await list(#"[{"id":"a","v":2},{"id":"b","v":1}]"#)
        #expect(try await bench.rows("SELECT siding_parent, id, v FROM posts ORDER BY id", at: then).count == 2)
        let now = try await bench.rows("SELECT v, siding_parent FROM posts WHERE id = 'a'")
        let past = try await bench.rows("SELECT v, siding_parent FROM posts WHERE id = 'a'", at: then)
        #expect(now != past && past == [#"integer(1)|text("7")"#])
    }

    private static let keys = ["a", "b", "c", "d", "z"]

    /// A page of some records, a deletion, a local save, an own edit, or the answer to one.
    private static func change(_ bench: HistoryBench, _ open: inout [QueueEntry], _ dice: inout Dice) async throws {
        let key = keys[dice.roll(keys.count)]
        switch dice.roll(7) {
        case 0:
            try await bench.delete(key)
        case 1:
            bench.time.advance(by: .seconds(1))
            try await bench.save(post(key, &dice))
        case 2:
            bench.time.advance(by: .seconds(1))
            open.append(try await bench.edits.edit(.merge, key, #"{"v":\#(values[dice.roll(4)])}"#))
        case 3 where !open.isEmpty:
            bench.time.advance(by: .seconds(1))
            let entry = open.removeFirst()
            // One that is in conflict, or behind another one, cannot be sent.
            if dice.roll(3) > 0, let claimed = try await bench.edits.claim(entry.id) {
                try await bench.edits.recordResult(claimed, .answered(post(entry.recordKey ?? "", &dice)))
            } else {
                try await bench.edits.drop(entry)
            }
        default:
            let some = keys.filter { _ in dice.roll(2) == 0 }
            var posts: [String] = []
            for key in some { posts.append(post(key, &dice)) }
            try await bench.pull("[\(posts.joined(separator: ","))]")
        }
    }

    // MARK: What is refused

    @Test func `only the views of resources with a history can be read, and other queries are refused with the reason`()
        async throws
    {
        let bench = try await HistoryBench()
        try await bench.pull(#"[{"id":"a","v":1}]"#)
        _ = try await bench.sqlite.bench.add("people")
        let now = bench.time.now
        let refused = [
            ("SELECT * FROM people", "'people' keeps no history"),
            ("SELECT count(*) FROM people", "'people' keeps no history"),
            ("SELECT count(*) FROM PEOPLE p", "'people' keeps no history"),
            ("SELECT * FROM posts JOIN people", "'people' keeps no history"),
            ("SELECT * FROM main.posts", "'posts' has only its present content"),
            ("SELECT count(*) FROM main.posts", "'posts' has only its present content"),
            ("SELECT body FROM siding_records_posts", "'siding_records_posts' has only its present content"),
            ("SELECT count(*) FROM siding_records_posts", "'siding_records_posts' has only its present content"),
            ("SELECT * FROM siding_runs", "'siding_runs' has only its present content"),
            (
                "SELECT (SELECT count(*) FROM siding_history) FROM posts",
                "'siding_history' has only its present content"
            ),
            (
                "WITH x AS (SELECT body FROM siding_records_posts) SELECT * FROM x",
                "'siding_records_posts' has only its present content"
            ),
        ]
        for (sql, message) in refused {
            let found = try await bench.refusal(sql, at: now)?.lowercased()
            #expect(found?.hasPrefix(message.lowercased()) == true, "\(sql): \(found ?? "it was allowed")")
        }
        let allowed = [
            "SELECT v FROM posts", "SELECT v FROM temp.posts", "WITH x AS (SELECT v FROM posts) SELECT v FROM x",
            "SELECT value FROM posts, json_each('[1]')", "SELECT (SELECT v FROM posts)",
        ]
        for sql in allowed { #expect(try await bench.rows(sql, at: now) == ["integer(1)"], "\(sql)") }
        #expect(try await bench.rows("SELECT count(*) FROM posts", at: now) == ["integer(1)"])
        #expect(
            try await bench.refusal("SELECT v FROM posts", at: now + .seconds(1))?.contains("lies in the future")
                == true)
        #expect(try await bench.refusal("SELECT absent FROM posts", at: now)?.contains("no such column") == true)
        #expect(try await bench.refusal("DELETE FROM posts", at: now) != nil)
        #expect(try await bench.refusal("CREATE TEMP TABLE x (a)", at: now) != nil)
        // Without a moment everything is seen as it is.
        #expect(try await bench.rows("SELECT count(*) FROM siding_records_posts") == ["integer(1)"])
    }
}
