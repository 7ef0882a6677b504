// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingJSON
import SidingSQLite
import Testing

@testable import Siding
@testable import SidingTesting

@Suite struct ProvenanceTests {
    private func provenance(_ bench: FileBench, _ key: String) async throws -> RecordProvenance {
        try #require(try await bench.store.provenance(of: "posts", key: key))
    }

    @Test func `a record names run, request, page and validators, and its confirmation`() async throws {
        let origin = ScriptedOrigin([
            "/posts": ScriptedOrigin.page("[1,2]", next: "/posts?page=2", etag: #""a""#),
            "/posts?page=2": ScriptedOrigin.page("[3]", etag: #""b""#),
        ])
        let bench = try await EngineBench(origin)
        let store = bench.store
        #expect(try await bench.sync().result.outcome == .saved)
        let first = try #require(try await store.provenance(of: "posts", key: "3"))
        #expect(first.cause == .page && first.run?.id == 1 && first.run?.command == "sync posts")
        #expect(first.request?.method == "GET" && first.request?.url == "https://api.example.org/posts?page=2")
        #expect(first.request?.page == 2 && first.request?.status == 200 && first.request?.etag == #""b""#)
        #expect(first.firstSeenAt == bench.time.now && first.confirmation.confirmedAt == bench.time.now)
        #expect(first.confirmation.pageStatus == 200 && first.deletion == nil && first.edits.isEmpty)

        bench.time.advance(by: .seconds(60))
        for page in ["/posts", "/posts?page=2"] { origin.set(page, .status(.notModified)) }
        #expect(try await bench.sync().result.outcome == .notModified)
        let second = try #require(try await store.provenance(of: "posts", key: "3"))
        #expect(second.request == first.request && second.run == first.run && second.changedAt == first.changedAt)
        #expect(second.confirmation.confirmedAt == bench.time.now && second.confirmation.pageStatus == 304)
        #expect(second.confirmation.listingCompletedAt == bench.time.now && second.confirmation.listingRun == 2)
        #expect(try await store.provenance(of: "posts", key: "99") == nil)
        #expect(try await storeErrorKind { _ = try await store.provenance(of: "none", key: "1") } == .notFound)
    }

    @Test func `a page that was answered anew without changing the record does not count as a confirmation`()
        async throws
    {
        let bench = try await FileBench()
        try await bench.bench.commit(#"[{"id":"a"},{"id":"b"}]"#, bench.bench.open(), etag: #""1""#)
        let before = bench.bench.time.now
        bench.bench.time.advance(by: .seconds(5))
        try await bench.bench.commit(#"[{"id":"b","v":1}]"#, bench.bench.open(), etag: #""2""#)
        let left = try await provenance(bench, "a")
        #expect(left.request?.at == before && left.confirmation.confirmedAt == nil)
        #expect(left.confirmation.pageAnsweredAt == bench.bench.time.now)
        #expect(left.confirmation.listingCompletedAt == bench.bench.time.now)
        let changed = try await provenance(bench, "b")
        #expect(changed.request?.at == bench.bench.time.now && changed.request?.etag == #""2""#)
        #expect(changed.firstSeenAt == before && changed.changedAt == bench.bench.time.now)
    }

    @Test(arguments: [false, true])
    func `a record that the newest complete listing did not contain is missing, not unchanged`(
        deletes: Bool
    ) async throws {
        var bench = try await EngineBench()
        bench.resource.deletions = Deletions(byAbsence: deletes)
        _ = try await bench.sync()
        let store = bench.store
        func confirmation(_ key: String) async throws -> RecordProvenance.Confirmation {
            try #require(try await store.provenance(of: "posts", key: key)).confirmation
        }
        for key in ["2", "3"] { #expect(try await !confirmation(key).isMissing) }
        for passes in 1...2 {
            bench.time.advance(by: .seconds(60))
            bench.list("[1]", "[3,4]", passes == 1 ? "[5]" : "[2,5]")
            _ = try await bench.sync()
            let (left, kept) = (try await confirmation("2"), try await confirmation("3"))
            #expect(left.isMissing == (passes == 1) && !kept.isMissing && kept.listingRun != nil)
            #expect(left.missingPasses == (deletes && passes == 1 ? 1 : nil))
            #expect(((left.passesNeeded ?? 0) > 1) == (deletes && passes == 1))
        }
        // A listing that did not end contradicts nothing.
        bench.time.advance(by: .seconds(60))
        bench.list("[1]")
        bench.origin.set("/posts?page=3", .status(.internalServerError))
        #expect(try await bench.sync().result.outcome == .queued)
        #expect(try await !confirmation("2").isMissing)
    }

    @Test func `own edits are shown, and below them the origin's request; then the answer has the origin's version`()
        async throws
    {
        let bench = try await EditBench()
        try await bench.pull(#"[{"id":"a","v":1}]"#)
        bench.time.advance(by: .seconds(1))
        let entry = try await bench.edit(.merge, "a", #"{"v":2}"#)
        let pending = try await provenance(bench.sqlite, "a")
        #expect(
            pending.cause == .page && pending.edits.map(\.entry) == [entry.id] && pending.edits[0].change == "merge")
        #expect(pending.changedAt == bench.time.now)
        // A pull below the edit that changes nothing of what shows is told all the same.
        bench.time.advance(by: .seconds(1))
        try await bench.pull(#"[{"id":"a","v":2}]"#)
        #expect(try await provenance(bench.sqlite, "a").request?.at == bench.time.now)
        bench.time.advance(by: .seconds(1))
        try await bench.deliver(entry, #"{"id":"a","v":2}"#)
        let delivered = try await provenance(bench.sqlite, "a")
        #expect(delivered.cause == .write && delivered.request?.entry == entry.id && delivered.run == nil)
        #expect(delivered.request?.method == "PATCH" && delivered.request?.status == 200 && delivered.edits.isEmpty)
        #expect(delivered.request?.url == "https://api.example.org/posts/a")
        // A dropped edit leaves what the origin's request brought.
        let other = try await bench.edit(.merge, "a", #"{"v":9}"#)
        try await bench.drop(other)
        #expect(try await provenance(bench.sqlite, "a").request?.entry == entry.id)
    }

    @Test func `a created record is the edit's until the origin answers, then the answer's`() async throws {
        let bench = try await EditBench()
        try await bench.pull("[]")
        let entry = try await bench.edit(.create, nil, #"{"v":1}"#)
        let temporary = try #require(entry.recordKey)
        let own = try await provenance(bench.sqlite, temporary)
        #expect(own.cause == .edit && own.request == nil && own.edits.map(\.change) == ["create"])
        try await bench.deliver(entry, #"{"id":"n","v":1}"#, status: 201)
        #expect(try await provenance(bench.sqlite, "n").request?.entry == entry.id)
        #expect(try await provenance(bench.sqlite, temporary).deletion?.cause == .neverThere)
    }

    @Test func `tombstones have their cause: an own delete, its answer, the program, a run`() async throws {
        let bench = try await EditBench()
        try await bench.pull(#"[{"id":"a"},{"id":"b"},{"id":"c"}]"#)
        let entry = try await bench.edit(.delete, "a")
        let pending = try await provenance(bench.sqlite, "a")
        #expect(pending.deletion?.cause == .edit && pending.deletion?.entry == entry.id)
        try await bench.deliver(entry, "", status: 204)
        let delivered = try await provenance(bench.sqlite, "a")
        #expect(delivered.deletion?.cause == .write && delivered.deletion?.entry == entry.id)
        _ = try await bench.store.delete(RecordLookup(resource: "posts", keys: ["b"]))
        let local = try await provenance(bench.sqlite, "b")
        #expect(local.deletion?.cause == .local && local.cause == .page && local.confirmation.confirmedAt == nil)
        let run = bench.sqlite.bench.run
        try await bench.sqlite.execute("UPDATE siding_records_posts SET deleted_at = 1, run = \(run) WHERE key = 'c'")
        #expect(try await provenance(bench.sqlite, "c").deletion?.run?.id == run)
        // The origin has it again.
        try await bench.pull(#"[{"id":"c"}]"#)
        #expect(try await provenance(bench.sqlite, "c").deletion == nil)
    }

    @Test func `a page that only marks deletions has a request in the provenance, too`() async throws {
        let bench = try await FileBench()
        try await bench.commit(#"[{"id":"a"}]"#)
        let content = try StoreBench.content(#"[{"id":"a","gone":true}]"#)
        var commit = try await bench.bench.pageCommit(content, bench.bench.open(), etag: #""2""#)
        commit.open.deletions = DeletionTerms(rule: Deletions(mark: DeletionMark(JSONPath(member: "gone"))))
        #expect(try await bench.store.commit(commit).deleted == 1)
        let marked = try await provenance(bench, "a")
        #expect(marked.request?.etag == #""2""# && marked.deletion?.run?.id == bench.bench.run)
    }

    @Test func `an undone deletion is reported, and answers before it confirm nothing`() async throws {
        var bench = try await FileBench()
        try await bench.commit(#"[{"id":"a"},{"id":"b"}]"#)
        #expect(try await provenance(bench, "a").undeletedAt == nil)
        bench.bench.time.advance(by: .seconds(5))
        var commit = try await bench.bench.pageCommit(
            StoreBench.content(#"[{"id":"a","gone":true}]"#), bench.bench.open())
        commit.open.deletions = DeletionTerms(rule: Deletions(mark: DeletionMark(JSONPath(member: "gone"))))
        #expect(try await bench.store.commit(commit).deleted == 1)
        bench.bench.time.advance(by: .seconds(5))
        #expect(try await bench.store.undelete(bench.bench.run) == ["posts": 1])
        let back = try await provenance(bench, "a")
        #expect(back.cause == .page && back.deletion == nil && back.undeletedAt == bench.bench.time.now)
        #expect(back.confirmation.listingCompletedAt == nil && back.confirmation.pageAnsweredAt == nil)
        bench.bench.time.advance(by: .seconds(5))
        try await bench.bench.nextSync()
        try await bench.commit(#"[{"id":"a","gone":true}]"#)
        let seen = try await provenance(bench, "a")
        #expect(seen.undeletedAt == back.undeletedAt)
        #expect(seen.confirmation.listingCompletedAt == bench.bench.time.now)
        try await bench.commit(#"[{"id":"a"}]"#)
        #expect(try await provenance(bench, "a").undeletedAt == nil)
    }

    @Test func `why a record was deleted does not change with the config`() async throws {
        let bench = try await FileBench()
        try await bench.commit(#"[{"id":"a","v":1},{"id":"b","v":2}]"#)
        var commit = try await bench.bench.pageCommit(
            StoreBench.content(#"[{"id":"a","v":1,"gone":true}]"#), bench.bench.open())
        commit.open.deletions = DeletionTerms(rule: Deletions(mark: DeletionMark(JSONPath(member: "gone"))))
        #expect(try await bench.store.commit(commit).deleted == 1)
        #expect(try await provenance(bench, "a").deletion?.cause == .run)
        let schema = RecordSchema(transforms: RecordTransforms(condition: try RecordExpression("v > 1")))
        try await bench.commit(#"[{"id":"b","v":2}]"#, schema: schema)
        #expect(try await provenance(bench, "a").deletion?.cause == .run)
    }

    @Test func `a restored record that an own write had changed is reported as restored`() async throws {
        let bench = try await EditBench()
        try await bench.pull(#"[{"id":"a","v":1}]"#)
        try await bench.deliver(bench.edit(.merge, "a", #"{"v":2}"#), #"{"id":"a","v":2}"#)
        let (run, now) = (bench.sqlite.bench.run, bench.time.now)
        try await bench.store.write { transaction in
            try TombstonesTable.insert(
                for: [1], in: RecordsTable.load(1, transaction), cause: .missing, run: run, now: now, revision: 9,
                transaction)
        }
        let gone = try await provenance(bench.sqlite, "a")
        #expect(gone.cause == .write && gone.deletion?.cause == .run && gone.deletion?.run?.id == run)
        #expect(try await bench.store.history(of: "posts", key: "a", limit: 1)?.versions.first?.run == run)
        bench.time.advance(by: .seconds(1))
        #expect(try await bench.store.undelete(run) == ["posts": 1])
        let back = try await provenance(bench.sqlite, "a")
        #expect(back.cause == .write && back.undeletedAt == bench.time.now && back.deletion == nil)
    }

    @Test func `a record that a program saved and deleted was saved here`() async throws {
        let bench = try await HistoryBench()
        try await bench.save(#"{"id":"a","v":2}"#)
        _ = try await bench.sqlite.store.delete(RecordLookup(resource: "posts", keys: ["a"]))
        let deleted = try await provenance(bench.sqlite, "a")
        #expect(deleted.cause == .local && deleted.deletion?.cause == .local)
    }

    @Test func `the file knows the causes that the program knows`() async throws {
        let bench = try await EditBench()
        try await bench.pull(#"[{"id":"a"}]"#)
        for cause in RecordCause.allCases {
            try await bench.sqlite.execute("UPDATE siding_records_posts SET cause = '\(cause.rawValue)'")
        }
        await #expect(throws: StoreError.self) {
            try await bench.sqlite.execute("UPDATE siding_records_posts SET cause = 'other'")
        }
    }

    @Test func `a local save and a quarantine retry are distinguished`() async throws {
        let bench = try await HistoryBench(nil, schema: RecordSchema(contract: RecordContract(typeChange: .quarantine)))
        try await bench.pull(#"[{"id":"a","v":1},{"id":"b","v":1},{"id":"c","v":1}]"#)
        try await bench.save(#"{"id":"a","v":2}"#)
        let local = try await provenance(bench.sqlite, "a")
        #expect(local.cause == .local && local.run == nil && local.request == nil)
        try await bench.pull(#"[{"id":"b","v":"x"}]"#)
        let seen = bench.time.now
        bench.time.advance(by: .seconds(1))
        _ = try await bench.sqlite.retry(as: [EditBench.posts()])
        let retried = try await provenance(bench.sqlite, "b")
        #expect(
            retried.cause == .quarantine && retried.request?.at == seen && retried.run?.command == "quarantine retry")
        #expect(retried.request?.url == "https://api.example.org/posts?page=1")
    }

    @Test func `the values of secret parameters are not shown`() async throws {
        let bench = try await FileBench()
        let url = try HTTPURL("https://api.example.org/posts?api_key=hunter2&page=1")
        let page = PageRequest(url: url, number: 1, offset: 0)
        try await bench.bench.commit(#"[{"id":"a"}]"#, bench.bench.open(), page: page)
        #expect(try await provenance(bench, "a").request?.url == "https://api.example.org/posts?api_key=…&page=1")
    }

    // MARK: What it costs

    @Test func `a page without history writes one row more than its records, and an unchanged one none`() async throws {
        let bench = try await FileBench()
        try await bench.commit(#"[{"id":"a","v":1},{"id":"b","v":1}]"#)
        let position = try await bench.bench.open()
        let unchanged = try await rows(written: bench) {
            try await bench.bench.commit(#"[{"id":"a","v":1},{"id":"b","v":1}]"#, position)
        }
        let next = try await bench.bench.open()
        let changed = try await rows(written: bench) {
            try await bench.bench.commit(#"[{"id":"a","v":2},{"id":"b","v":2}]"#, next)
        }
        // Two records, the resource's revision and newest request, and the request.
        #expect(changed - unchanged == 5)
        #expect(try await bench.rows("SELECT count(*) FROM siding_history") == [["0"]])
        #expect(try await bench.rows("SELECT count(*) FROM siding_provenance") == [["2"]])
    }

    private func rows(written bench: FileBench, by work: () async throws -> Void) async throws -> Int {
        let before = try await total(bench)
        try await work()
        return try await total(bench) - before
    }

    private func total(_ bench: FileBench) async throws -> Int {
        try await bench.store.write { transaction in
            try transaction.first("SELECT total_changes()") { Int($0.int(0)) } ?? 0
        }
    }

    @Test func `requests without a reference are deleted once many have come, and those with one stay`() async throws {
        let bench = try await HistoryBench()
        try await bench.pull(#"[{"id":"a","v":1}]"#)
        try await bench.pull(#"[{"id":"a","v":2}]"#)
        let used = try await bench.sqlite.rows("SELECT id FROM siding_provenance")
        try await bench.sqlite.execute(
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1100)
            INSERT INTO siding_provenance (resource, id, cause, run, method, url, at)
            SELECT 1, 2 + i, 'page', 1, 'GET', 'x', 0 FROM n
            """)
        try await bench.sqlite.execute("UPDATE siding_resources SET requests = 1102")
        // The first look takes what is there for the resource's own.
        try await bench.pull(#"[{"id":"a","v":2}]"#)
        #expect(try await bench.count("siding_provenance") == 1102)
        try await bench.sqlite.execute(
            "UPDATE siding_resources SET retention = json_set(retention, '$.requests_due', 10)")
        try await bench.pull(#"[{"id":"a","v":2}]"#)
        #expect(try await bench.sqlite.rows("SELECT id FROM siding_provenance") == used)
        let due = "SELECT retention ->> 'requests_due' FROM siding_resources"
        #expect(try await bench.sqlite.rows(due) == [["2104"]])
        // A page that was requested before they went still counts as requested after them.
        #expect(try await bench.sqlite.bench.newestRequest() == 1102)
    }

    @Test func `a program queries the versions of a record and its origin`() async throws {
        let posts = try EditBench.posts()
        let bench = try await HistoryBench()
        try await bench.pull(#"[{"id":"a"}]"#)
        let siding = try await Siding(
            store: .store(bench.store), resources: [posts], transports: ScriptedOrigin.posts())
        #expect(try await siding.history(of: posts, key: "a")?.versions.count == 1)
        #expect(try await siding.provenance(of: posts, key: "a")?.cause == .page)
    }
}
