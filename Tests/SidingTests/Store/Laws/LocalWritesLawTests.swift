// SPDX-License-Identifier: Apache-2.0
import SidingJSON
import SidingSynchronization
import SidingTesting
import Testing

@testable import Siding

@Suite struct LocalWritesLawTests {
    @Test func `local records are inserted, updated, or left as they are`() async throws {
        let bench = try await StoreBench()
        let first = try await bench.apply(#"[{"id":"a","x":1},{"id":"b"}]"#)
        try require(first, is: [.inserted, .inserted], "the first outcomes")
        bench.time.advance(by: .seconds(60))
        let second = try await bench.apply(#"[{"id":"a","x":2},{"id":"b"}]"#)
        try require(second, is: [.updated, .unchanged], "the second outcomes")
        let record = try await bench.record("a")
        try require(record.run, is: 0, "the run of a local record")
        try require(record.changedAt, is: bench.time.now, "when it changed")
        try require(String(decoding: record.body, as: UTF8.self), is: #"{"id":"a","x":2}"#, "the body")
    }

    @Test func `a batch whose expectation fails changes nothing`() async throws {
        let bench = try await StoreBench()
        _ = try await bench.apply(#"[{"id":"a","x":1}]"#)
        let body = Array(#"{"id":"a","x":1}"#.utf8)
        let refused = try await bench.apply(#"[{"id":"b"},{"id":"a","x":2}]"#, expects: [.anything, .nothing])
        try require(refused == nil, "a record was taken for absent")
        let other = try await bench.apply(#"[{"id":"b"},{"id":"a","x":2}]"#, expects: [.body(body), .anything])
        try require(other == nil, "an absent record was taken for present")
        let changed = try await bench.apply(#"[{"id":"a","x":2}]"#, expects: [.body(body.dropLast() + [32, 125])])
        try require(changed == nil, "another body was taken for the stored one")
        try await require(bench.store.count(of: "posts").count, is: 1, "the records")
        let taken = try await bench.apply(#"[{"id":"b"},{"id":"a","x":2}]"#, expects: [.nothing, .body(body)])
        try require(taken, is: [.inserted, .updated], "the outcomes of what holds")
    }

    @Test func `a local record that breaks the rules is invalid, and the others are written`() async throws {
        let bench = try await StoreBench()
        let outcomes = try await bench.apply(#"[{"id":"a"},{"name":"no key"},{"id":7}]"#) ?? []
        try require(outcomes.first, is: .inserted, "the first outcome")
        guard case .invalid = outcomes[1], case .invalid = outcomes[2] else {
            throw ConformanceViolation("\(outcomes)", line: #line)
        }
    }

    @Test func `a record that is deleted locally keeps its body, and a sync that finds it restores it`() async throws {
        let bench = try await StoreBench()
        _ = try await bench.apply(#"[{"id":"a"},{"id":"b"},{"id":"c","x":1}]"#)
        let lookup = RecordLookup(resource: "posts", keys: ["a", "a", "x"])
        try await require(bench.store.delete(lookup), is: 1, "deleted by key")
        try await require(bench.store.delete(lookup), is: 0, "deleted again")
        let filter = RecordFilter.compare(JSONPath(member: "x"), .isEqual, .integer(1))
        try await require(
            bench.store.delete(RecordSelection(resource: "posts", filter: filter)), is: 1, "deleted by a filter")
        try await require(
            bench.store.count(of: "posts"), is: RecordCount(resource: "posts", count: 1, deleted: 2), "the count")
        let deleted = try await bench.store.records(RecordLookup(resource: "posts", keys: ["a"], includesDeleted: true))
        try require(deleted.map { String(decoding: $0.body, as: UTF8.self) }, is: [#"{"id":"a"}"#], "the body")
        try await bench.commit(#"[{"id":"a"}]"#, bench.open())
        try await require(bench.store.count(of: "posts").count, is: 2, "after the sync")
    }

    @Test func `a local record that was deleted is inserted anew, and counts as nothing until then`() async throws {
        let bench = try await StoreBench()
        _ = try await bench.apply(#"[{"id":"a"}]"#)
        _ = try await bench.store.delete(RecordLookup(resource: "posts", keys: ["a"]))
        try await require(bench.apply(#"[{"id":"a"}]"#, expects: [.nothing]), is: [.inserted], "the outcome")
    }

    @Test func `a sync overwrites what was saved locally`() async throws {
        let bench = try await StoreBench()
        _ = try await bench.apply(#"[{"id":"a","x":"mine"}]"#)
        let counters = try await bench.commit(#"[{"id":"a","x":"theirs"}]"#, bench.open())
        try require(counters.updated, is: 1, "updated")
        try await require(bench.record("a").run == bench.run, "the run")
    }

    @Test func `a local save makes a resource known, and a name that cannot be one is refused`() async throws {
        let bench = try await StoreBench()
        let changes = try bench.changes(#"[{"id":"a"}]"#, resource: "notes")
        _ = try await bench.store.apply(changes)
        try await require(bench.store.resourceStates().map(\.resource), is: ["notes"], "the resources")
        let wrong = try bench.changes(#"[{"id":"a"}]"#, resource: "siding_notes")
        let store = bench.store
        try await bench.refuses(.invalidName, "the name") { _ = try await store.apply(wrong) }
    }

    @Test func `changes since a revision are reported once, and unchanged records are not`() async throws {
        let bench = try await StoreBench()
        try await bench.commit(#"[{"id":"a"},{"id":"b"}]"#, bench.open())
        let store = bench.store
        let first = try await store.select(RecordSelection(resource: "posts")).revision
        let number = try await store.select(RecordSelection(resource: "posts")).number
        try await require(
            store.changedKeys(of: "posts", since: 0),
            is: ChangedKeys(number: number, revision: first, keys: ["a", "b"]), "at first")
        try await bench.commit(#"[{"id":"a"},{"id":"b","x":1},{"id":"c"}]"#, bench.open())
        let second = try await store.changedKeys(of: "posts", since: first)
        try require(second.keys, is: ["b", "c"], "after a page")
        _ = try await store.delete(RecordLookup(resource: "posts", keys: ["a"]))
        _ = try await bench.apply(#"[{"id":"c"}]"#)
        let third = try await store.changedKeys(of: "posts", since: second.revision)
        try require(third.keys, is: ["a"], "after a deletion and a save of the same")
        try await require(
            store.changedKeys(of: "posts", since: third.revision),
            is: ChangedKeys(number: number, revision: third.revision, keys: []), "after all")
    }

    @Test func `resources count their changes apart`() async throws {
        let bench = try await StoreBench()
        _ = try await bench.apply(#"[{"id":"a"}]"#)
        let revision = try await bench.store.select(RecordSelection(resource: "posts")).revision
        _ = try await bench.store.apply(bench.changes(#"[{"id":"a"}]"#, resource: "notes"))
        try await require(
            bench.store.changedKeys(of: "posts", since: revision).keys, is: [], "the other's changes")
    }

    @Test func `the change signal fires when records were written, and only then`() async throws {
        let bench = try await StoreBench()
        let signal = bench.store.changeSignal
        let start = signal.count
        try await bench.commit(#"[{"id":"a"}]"#, bench.open())
        try require(signal.count > start, "a page that wrote did not fire it")
        let after = signal.count
        try await bench.commit(#"[{"id":"a"}]"#, bench.open())
        _ = try await bench.apply(#"[{"id":"a"}]"#)
        _ = try await bench.store.delete(RecordLookup(resource: "posts", keys: ["x"]))
        try require(signal.count, is: after, "fired where nothing was written")
        _ = try await bench.store.delete(RecordLookup(resource: "posts", keys: ["a"]))
        try require(signal.count > after, "a deletion did not fire it")
    }

    @Test func `records are found by their words, and changed or deleted ones by their present state`() async throws {
        let bench = try await StoreBench()
        try await bench.commit(
            #"[{"id":"a","t":"The fast train"},{"id":"b","t":"A slow train"},{"id":"c","t":"A fast car"}]"#,
            bench.open())
        try await bench.finds(.words("fast train"), ["a"])
        try await bench.finds(.words("TRAIN"), ["a", "b"])
        try await bench.finds(.phrase("slow train"), ["b"])
        try await bench.finds(.phrase("train slow"), [])
        try await bench.finds(.beginning("fast tr"), ["a"])
        _ = try await bench.apply(#"[{"id":"b","t":"A fast train too"},{"id":"d","t":"Train four"}]"#)
        try await bench.finds(.words("train"), ["a", "b", "d"])
        try await bench.finds(.words("slow"), [])
        _ = try await bench.store.delete(RecordLookup(resource: "posts", keys: ["a"]))
        try await bench.finds(.words("train"), ["b", "d"])
        try await bench.commit(#"[{"id":"a","t":"Revived train"}]"#, bench.open())
        try await bench.finds(.words("train"), ["a", "b", "d"])
    }

    @Test func `no search text is syntax`() async throws {
        let bench = try await StoreBench()
        _ = try await bench.apply(#"[{"id":"a","t":"NOT a \"quoted\" AND (odd) text: c++"}]"#)
        for text in ["\"quoted", "(odd", "NOT", "AND text", "t:", "text*", "-", "", "  ", "^a", "c++", "a\0b"] {
            _ = try await bench.store.search(bench.search(.words(text)))
        }
        try await bench.finds(.words("\"quoted\" (odd)"), ["a"])
        try await bench.finds(.words("- \" ()"), [])
        try await bench.finds(.words(""), [])
    }

    @Test func `a resource without searchable members cannot be searched, an unknown one has nothing`() async throws {
        let bench = try await StoreBench()
        let store = bench.store
        try await bench.refuses(.invalidQuery, "the search") {
            _ = try await store.search(TextSearch(of: "posts", fields: [], text: .words("a")))
        }
        try await require(store.search(bench.search(.words("a"))), is: [], "the matches")
    }
}

extension StoreBench {
    func changes(
        _ json: String, expects expectations: [RecordChanges.Expectation] = [], resource: String = Self.resource
    ) throws -> RecordChanges {
        guard case .records(let bytes, let slices) = try Self.content(json) else {
            throw ConformanceViolation("no records", line: #line)
        }
        return RecordChanges(
            resource: resource, source: "blog", definition: try Self.definition(), bytes: bytes,
            rows: slices.enumerated().map { index, slice in
                RecordChanges.ChangedRow(
                    slice: slice, expectation: index < expectations.count ? expectations[index] : .anything)
            })
    }

    @discardableResult
    func apply(
        _ json: String, expects expectations: [RecordChanges.Expectation] = []
    ) async throws -> [RecordChangeOutcome]? {
        try await store.apply(changes(json, expects: expectations))
    }

    fileprivate func search(_ text: TextSearch.Text) -> TextSearch {
        TextSearch(of: Self.resource, fields: [JSONPath(member: "t")], text: text)
    }

    fileprivate func finds(_ text: TextSearch.Text, _ keys: [String], line: Int = #line) async throws {
        let found = try await store.search(search(text)).map(\.record.key).sorted()
        try require(found, is: keys, "\(text)", line: line)
    }
}
