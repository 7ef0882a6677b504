// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingJSON
import Testing

@testable import Siding
@testable import SidingTesting

@Suite(.timeLimit(.minutes(5))) struct QuarantineTests {
    private static let strict = RecordSchema(contract: RecordContract(typeChange: .quarantine))

    private static func resource(_ schema: RecordSchema = RecordSchema(), key: String = "id") throws -> AnyResource {
        let source = Source(name: "blog", baseURL: try HTTPURL("https://api.example.org"))
        var resource = AnyResource("posts", from: source, at: "/posts", key: key)
        resource.schema = schema
        return resource
    }

    /// One good record, one of another type, one without a key.
    private static func bench() async throws -> FileBench {
        let bench = try await FileBench()
        try await bench.commit(#"[{"id":1,"v":1},{"id":2,"v":"x"},{"name":"keyless"}]"#, schema: strict)
        return bench
    }

    @Test func `quarantined records have their reason, place and run, oldest first`() async throws {
        let bench = try await Self.bench()
        let all = try await bench.store.quarantined(QuarantineSelection())
        #expect(all.map(\.key) == ["2", nil] && all.map(\.code) == ["type_change", "missing_key"])
        #expect(all.map(\.position) == [16, 33] && all.map(\.size) == [16, 18])
        #expect(all.allSatisfy { $0.run == bench.bench.run && $0.resource == "posts" && $0.body.isEmpty })
        #expect(all[0].url.hasPrefix("https://api.example.org/posts"))
        let one = try await bench.store.quarantined(all[0].id)
        #expect(one.map { String(decoding: $0.body, as: UTF8.self) } == #"{"id":2,"v":"x"}"#)
        #expect(try await bench.store.quarantined(QuarantineSelection(resources: ["other"])).isEmpty)
        #expect(try await storeErrorKind { _ = try await bench.store.quarantined(99) } == .notFound)
    }

    @Test func `a record that repeats its fault keeps its number and its age, a mended one leaves`() async throws {
        let bench = try await Self.bench()
        let first = try await bench.store.quarantined(QuarantineSelection())
        bench.bench.time.advance(by: .seconds(60))
        try await bench.commit(#"[{"id":1,"v":1},{"id":2,"v":"x"},{"name":"keyless","id":3}]"#, schema: Self.strict)
        let second = try await bench.store.quarantined(QuarantineSelection())
        #expect(second.map(\.id) == [first[0].id] && second[0].createdAt == first[0].createdAt)
        #expect(second[0].seenAt - first[0].seenAt == .seconds(60))
    }

    @Test func `a key of the wrong type stays quarantined, though a good one has its text`() async throws {
        let bench = try await FileBench()
        for _ in 1...2 {
            try await bench.commit(#"[{"id":1,"v":1},{"id":"1","v":2}]"#)
            #expect(try await bench.store.quarantined(QuarantineSelection()).map(\.code) == ["key_type"])
        }
        // On another page of the listing, too.
        let position = try await bench.bench.open()
        let next = try StoreBench.page(2)
        try await bench.bench.commit(#"[{"id":"1","v":2}]"#, position, next: .page(next))
        try await bench.bench.commit(#"[{"id":1,"v":1}]"#, position, page: next)
        #expect(try await bench.store.quarantined(QuarantineSelection()).map(\.code) == ["key_type"])
        try await bench.commit(#"[{"id":1,"v":1}]"#)
        #expect(try await bench.store.quarantined(QuarantineSelection()).isEmpty)
    }

    @Test func `a listing of changes leaves unseen records, and releases mended ones`() async throws {
        let bench = try await Self.bench()
        bench.bench.time.advance(by: .seconds(60))
        let position = try await bench.bench.open(schema: Self.strict)
        try await bench.execute("UPDATE siding_listings SET cursor = json_set(cursor, '$.from', '2024-01-01')")
        try await bench.bench.commit(#"[{"id":2,"v":7}]"#, position, page: StoreBench.page(2))
        #expect(try await bench.store.quarantined(QuarantineSelection()).map(\.code) == ["missing_key"])
    }

    @Test func `a retry under another contract saves what is good, in a run of its own`() async throws {
        let bench = try await Self.bench()
        let changes = try await bench.retry(as: [Self.resource()])
        #expect(changes.map { $0.refusal == nil } == [true, false])
        #expect(changes[1].refusal?.contains("is missing") == true)
        #expect(try await bench.rows("SELECT id, v FROM posts ORDER BY id") == [["1", "1"], ["2", "x"]])
        #expect(try await bench.store.quarantined(QuarantineSelection()).map(\.code) == ["missing_key"])
        let run = try #require(try await bench.store.runs(limit: 1).first)
        #expect(run.command == "quarantine retry" && run.outcome == .partial)
        #expect(run.resources.first?.counters.inserted == 1 && run.resources.first?.counters.quarantined == 1)
    }

    @Test func `a retry under the same contract leaves all as it is`() async throws {
        let bench = try await Self.bench()
        let changes = try await bench.retry(
            as: [Self.resource(Self.strict)])
        #expect(changes.allSatisfy { $0.refusal != nil })
        #expect(try await bench.store.quarantined(QuarantineSelection()).count == 2)
        #expect(try await bench.rows("SELECT COUNT(*) FROM siding_records_posts") == [["1"]])
    }

    @Test func `a retry with another key finds the keyless`() async throws {
        let bench = try await Self.bench()
        try await bench.execute("UPDATE siding_resources SET key_type = NULL")
        let keyless = try await bench.store.quarantined(QuarantineSelection()).filter { $0.key == nil }
        let changes = try await bench.retry(
            QuarantineSelection(ids: keyless.map(\.id)), as: [Self.resource(key: "name")])
        #expect(changes.map(\.refusal) == [nil])
        #expect(try await bench.bench.record("keyless").body == Array(#"{"name":"keyless"}"#.utf8))
    }

    @Test(arguments: [false, true])
    func `a record newer than the quarantined one stays, and so does a tombstone`(_ isDeleted: Bool) async throws {
        let bench = try await Self.bench()
        bench.bench.time.advance(by: .seconds(60))
        let now = bench.bench.time.now.microseconds
        try await bench.execute(
            """
            INSERT INTO siding_records_posts (key, body, first_seen_at, changed_at, run, deleted_at, revision, pending,
                lives_since, cause)
            VALUES (2, '{"id":2,"v":7}', 0, \(isDeleted ? 0 : now), 1, \(isDeleted ? "\(now)" : "NULL"), 0, 0, 0, 'page')
            """)
        let changes = try await bench.retry(as: [Self.resource()])
        let change = try #require(changes.first { $0.record.key == "2" })
        #expect(change.refusal == "a newer record of its key is stored")
        #expect(try await bench.rows("SELECT v FROM posts WHERE id = 2") == (isDeleted ? [] : [["7"]]))
    }

    @Test func `a stored record that the config has rewritten since does not count as newer at the origin`()
        async throws
    {
        var bench = try await FileBench()
        try await bench.commit(#"[{"id":2,"v":1,"mail":"hush"}]"#, schema: Self.strict)
        bench.bench.time.advance(by: .seconds(60))
        try await bench.commit(#"[{"id":2,"v":"x","mail":"hush"}]"#, schema: Self.strict)
        bench.bench.time.advance(by: .seconds(60))
        try await bench.bench.nextSync()
        var schema = Self.strict
        schema.transforms.dropped = [JSONPath(member: "mail")]
        _ = try await bench.bench.open(schema: schema)
        #expect(try await bench.store.rewriteRecords(of: "posts") == 1)
        let rewritten = try await bench.bench.record("2")
        #expect(rewritten.body == Array(#"{"id":2,"v":1}"#.utf8) && rewritten.changedAt == bench.bench.time.now)
        schema.contract = RecordContract()
        #expect(try await bench.retry(as: [Self.resource(schema)]).map(\.refusal) == [nil])
        #expect(try await bench.bench.record("2").body == Array(#"{"id":2,"v":"x"}"#.utf8))
    }

    @Test(arguments: [(0, "x"), (1, "y")])
    func `of two of one key the newer one is taken, and the other is not laid over it`(
        _ seconds: Int, _ taken: String
    ) async throws {
        let bench = try await FileBench()
        let position = try await bench.bench.open(schema: Self.strict)
        let next = try StoreBench.page(2)
        try await bench.bench.commit(#"[{"id":1,"v":1},{"id":2,"v":"x"}]"#, position, next: .page(next))
        bench.bench.time.advance(by: .seconds(seconds))
        try await bench.bench.commit(#"[{"id":2,"v":"y"}]"#, position, page: next)
        let changes = try await bench.retry(as: [Self.resource()])
        #expect(changes.map(\.refusal) == [nil, "a newer record of its key is stored"])
        #expect(try await bench.bench.record("2").body == Array(#"{"id":2,"v":"\#(taken)"}"#.utf8))
    }

    @Test func `a long retry lets others write between its transactions, and takes the newer of a key over them all`()
        async throws
    {
        let bench = try await FileBench()
        let position = try await bench.bench.open(schema: Self.strict)
        let next = try StoreBench.page(2)
        let texts = (1...30).map { #"{"id":\#($0),"v":"x"}"# }.joined(separator: ",")
        try await bench.bench.commit(#"[{"id":0,"v":0},\#(texts)]"#, position, next: .page(next))
        try await bench.bench.commit(#"[{"id":1,"v":"y"}]"#, position, page: next)
        try await bench.bench.store.releaseLease(bench.bench.lease)
        let clock = ManualClock()
        var paced = try bench.store
        paced.monotonicClock = clock
        let store = paced
        let resource = try Self.resource()
        async let changes = store.retryQuarantined(QuarantineSelection(), as: [resource])
        await clock.sleepers(1)
        let left = try await bench.store.quarantined(QuarantineSelection()).count
        #expect((1..<31).contains(left), "\(left) are left")
        try await bench.execute("UPDATE siding_resources SET requests = requests")
        clock.advance(by: .seconds(1))
        let refusals = try await changes.map(\.refusal)
        #expect(refusals.count == 31 && refusals.dropLast().allSatisfy { $0 == nil })
        #expect(refusals.last == "a newer record of its key is stored")
        #expect(try await bench.bench.record("1").body == Array(#"{"id":1,"v":"x"}"#.utf8))
        #expect(try await bench.store.runs(limit: 1).first?.resources.first?.counters.inserted == 30)
    }

    @Test func `a retry that is cancelled keeps what it saved, ends its run and gives its lease back`() async throws {
        let bench = try await FileBench()
        let texts = (1...100).map { #"{"id":\#($0),"v":"x"}"# }.joined(separator: ",")
        try await bench.commit(#"[{"id":0,"v":0},\#(texts)]"#, schema: Self.strict)
        try await bench.bench.store.releaseLease(bench.bench.lease)
        let clock = ManualClock()
        var paced = try bench.store
        paced.monotonicClock = clock
        let store = paced
        let resource = try Self.resource()
        let retry = Task { try await store.retryQuarantined(QuarantineSelection(), as: [resource]) }
        await clock.sleepers(1)
        retry.cancel()
        #expect(try await storeErrorKind { _ = try await retry.value } == .cancelled)
        let left = try await bench.store.quarantined(QuarantineSelection()).count
        #expect((1..<100).contains(left), "\(left) are left")
        #expect(try await bench.store.count(of: "posts").count == 101 - left)
        let run = try #require(try await bench.store.runs(limit: 1).first)
        #expect(run.outcome == .failed && run.resources.first?.counters.inserted == 100 - left)
        #expect(try await bench.store.failures(of: ["posts"]).isEmpty, "no sync has failed")
        #expect(try await bench.store.leases() == [])
    }

    @Test func `nothing is read again of a resource that another run is at`() async throws {
        let bench = try await Self.bench()
        let resource = try Self.resource()
        let changes = try await bench.store.retryQuarantined(QuarantineSelection(), as: [resource])
        #expect(changes.count == 2 && changes.allSatisfy { $0.heldBy?.command == "sync posts" })
        #expect(changes.allSatisfy { $0.refusal?.hasPrefix("'posts' is held by process ") == true })
        #expect(try await bench.store.freshness(of: "posts")?.schema == Self.strict)
        #expect(try await bench.store.runs(limit: 1).first?.outcome == .skipped)
        #expect(try await bench.retry(as: [resource]).map { $0.refusal == nil } == [true, false])
        // It gives back what it took.
        #expect(try await bench.store.leases() == [])
    }

    @Test func `a full listing of a resource with a cursor keeps what it does not show, but the keyless`() async throws
    {
        let bench = try await FileBench()
        func list(_ json: String, page: Int) async throws {
            let position = try await bench.bench.open(schema: Self.strict)
            _ = try await bench.store.commit(
                bench.bench.pageCommit(
                    StoreBench.content(json), position, page: StoreBench.page(page),
                    cursor: CursorMove(reached: "7", moved: "7")))
        }
        try await list(#"[{"id":1,"v":1},{"id":2,"v":"x"},{"name":"keyless"}]"#, page: 1)
        for page in [1, 2] {
            try await list(#"[{"id":1,"v":1}]"#, page: page)
            #expect(try await bench.store.quarantined(QuarantineSelection()).map(\.key) == ["2"])
        }
        // Another one in its place takes nothing from it.
        try await list(#"[{"id":1,"v":1},{"id":3,"v":"x"}]"#, page: 1)
        #expect(try await Set(bench.store.quarantined(QuarantineSelection()).map(\.key)) == ["2", "3"])
        try await list(#"[{"id":2,"v":2},{"id":3,"v":3}]"#, page: 1)
        #expect(try await bench.store.quarantined(QuarantineSelection()) == [])
    }

    @Test func `answers of two pages are two, be they the same to the byte, until each page comes well`() async throws {
        let bench = try await FileBench()
        let position = try await bench.bench.open(isAdHoc: true)
        func ask(_ page: Int, _ content: Page.Content) async throws -> RunCounters {
            try await bench.store.commit(
                bench.bench.pageCommit(content, position, page: StoreBench.page(page), isAdHoc: true))
        }
        for body in [#"{"error":1}"#, #"{"error":2}"#] {
            for page in [1, 2] {
                let counters = try await ask(page, .setAside(Array(body.utf8), reason: "418"))
                #expect(counters.quarantined == 1 && counters.answersQuarantined == 1)
            }
        }
        let kept = try await bench.store.quarantined(QuarantineSelection())
        #expect(
            kept.map(\.url) == [
                try StoreBench.page(1).url.description, try StoreBench.page(2).url.description,
            ])
        #expect(try await ask(2, StoreBench.content(#"[{"id":1}]"#)).answersQuarantined == 0)
        #expect(try await bench.store.quarantined(QuarantineSelection()).map(\.id) == [kept[0].id])
    }

    @Test func `a record of a resource that left the config stays`() async throws {
        let bench = try await Self.bench()
        let changes = try await bench.retry(as: [])
        #expect(changes.allSatisfy { $0.refusal?.contains("no resource 'posts'") == true } && changes.count == 2)
    }

    @Test func `a dropped record is deleted, the rest stays`() async throws {
        let bench = try await Self.bench()
        let ids = try await bench.store.quarantined(QuarantineSelection()).map(\.id)
        #expect(try await bench.store.dropQuarantined(QuarantineSelection(ids: [ids[0]])).map(\.key) == ["2"])
        #expect(try await bench.store.quarantined(QuarantineSelection()).map(\.id) == [ids[1]])
        let kind = try await storeErrorKind { _ = try await bench.store.dropQuarantined(QuarantineSelection(ids: ids)) }
        #expect(kind == .notFound)
        #expect(try await bench.store.quarantined(QuarantineSelection()).count == 1)
    }
}
