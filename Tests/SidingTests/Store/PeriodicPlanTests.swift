// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingJSON
import SidingPaging
import SidingTesting
import Testing

@testable import Siding

/// What runs for each page, each run and each look of the service seeks in an index: the queue, the runs and the records may
/// be many.
@Suite struct PeriodicPlanTests {
    private let bench: EngineBench
    private let siding: Siding

    init() async throws {
        var bench = try await EngineBench()
        bench.resource.deletions = Deletions(byAbsence: true)
        self.bench = bench
        siding = try await Siding(
            store: .store(bench.store), resources: [bench.resource], transports: bench.origin,
            environment: RuntimeEnvironment(connectivity: bench.connectivity, wallClock: bench.time.clock))
    }

    /// The beginnings of statements that may read all records of a resource, which decision 31 lists.
    private static let justified = [
        // Which living records no page shows is asked where pages or records changed, and is about all of them.
        #"SELECT rowid FROM "siding_records_posts" WHERE deleted_at IS NULL AND pending = 0"#,
        #"SELECT rowid FROM "siding_records_comments" WHERE deleted_at IS NULL AND pending = 0"#,
        // A fan-out pass goes through all parents, a portion at a time, and at its end counts those that it left out.
        "SELECT p.text AS key, p.body, p.revision FROM",
        #"SELECT COUNT(*) FROM "siding_records_posts" p"#,
        // Which records only a parent showed that is gone: asked in the one pass that finds it gone.
        #"SELECT r.rowid FROM "siding_records_comments" r WHERE r.scope IS NOT NULL"#,
    ]

    /// The statements that read a whole table which grows with time or with the origin.
    private func scans() async throws -> [String] {
        // These have a row per resource, member, source or lease, or few rows in a partial index.
        let small = [
            "json_each", "siding_resources", "siding_sources", "siding_leases", "siding_passes",
            "sqlite_schema", "sqlite_temp_schema", "sqlite_sequence", "siding_columns", "CONSTANT ROW",
            "siding_outbox USING INDEX siding_outbox_sign_in", "siding_runs USING INDEX siding_runs_unfinished",
            "siding_runs USING COVERING INDEX siding_runs_unfinished",
        ]
        var found: [String] = []
        for sql in try await bench.store.recentStatements() where isQuery(sql) {
            for line in try await bench.store.plan(of: sql) where line.hasPrefix("SCAN ") {
                let what = line.dropFirst("SCAN ".count)
                // What a migration asks of SQLite itself when the file is made is no table of ours.
                if what.hasPrefix("pragma_") || what.hasPrefix("(subquery") { continue }
                if Self.justified.contains(where: sql.hasPrefix) { continue }
                if small.contains(where: { what == $0 || what.hasPrefix("\($0) ") }) { continue }
                found.append("\(line): \(sql)")
            }
        }
        return found
    }

    private func isQuery(_ sql: String) -> Bool {
        ["SELECT", "INSERT", "UPDATE", "DELETE", "WITH"].contains { sql.hasPrefix($0) }
    }

    private func expectNoScans() async throws {
        let found = try await scans()
        #expect(found.isEmpty, "\(found)")
    }

    @Test func `no statement of a sync reads a whole table`() async throws {
        _ = try await bench.sync()
        try await expectNoScans()
        _ = try await bench.sync()
        try await expectNoScans()
        bench.origin.set("/posts?page=2", .failure(Failure(.noInternetConnection, phase: .notSent)))
        _ = try await bench.sync()
        try await expectNoScans()
    }

    /// Syncs `resource` once for each of these pages of posts.
    private func sync(_ resource: AnyResource, showing pages: [String]) async throws {
        for page in pages {
            bench.origin.set("/posts", .text(page))
            bench.time.advance(by: .seconds(60))
            _ = try await bench.engine().sync(resource)
            try await expectNoScans()
        }
    }

    @Test func `no statement of a fan-out pass with deletions reads a whole table`() async throws {
        var comments = bench.resource
        (comments.name, comments.path) = ("comments", "/posts/{id}/comments")
        comments.forEach = ForEach("posts", bind: ["id": JSONPath(member: "id")])
        let first = ScriptedOrigin.page("[11,12,13]")
        bench.origin.set("/posts/1/comments", first, first, ScriptedOrigin.page("[11,13]"))
        bench.origin.set("/posts/2/comments", ScriptedOrigin.page("[21,22]"))
        bench.origin.set("/posts/3/comments", ScriptedOrigin.page("[31]"))
        let posts = #"[{"id":1},{"id":2},{"id":3}]"#
        let fewer = #"[{"id":1},{"id":2}]"#
        for page in [posts, posts, fewer, fewer, fewer, fewer] {
            try await sync(bench.resource, showing: [page])
            _ = try await bench.engine().sync(comments)
            try await expectNoScans()
        }
        let kept = try await bench.store.records(of: "comments", after: nil, limit: 9, deleted: false).map(\.key)
        #expect(kept == ["11", "13", "21", "22", "31"])
        #expect(try await bench.keys() == ["1", "2"])
    }

    @Test func `no statement of a sync with a cursor reads a whole table`() async throws {
        var events = bench.resource
        events.deletions = Deletions()
        events.cursor = IncrementalCursor(at: .record(JSONPath(member: "at")), type: .integer)
        events.query = ["since": "{cursor}"]
        try await sync(events, showing: [#"[{"id":1,"at":1},{"id":2,"at":5}]"#])
        bench.origin.set("/posts?since=5", .text(#"[{"id":3,"at":7}]"#))
        bench.origin.set("/posts?since=7", .text(#"[{"id":3,"at":7}]"#))
        try await sync(events, showing: ["[]", "[]"])
        #expect(try await bench.keys() == ["1", "2", "3"])
    }

    @Test func `no statement of a sync that keeps a history reads a whole table`() async throws {
        var posts = bench.resource
        posts.schema.history = HistoryRetention(keep: .seconds(86_400), versions: 2)
        try await sync(posts, showing: (0..<5).map { #"[{"id":1,"n":\#($0)},{"id":2,"n":\#($0)}]"# })
        #expect(try await bench.store.history(of: "posts", key: "1", limit: nil)?.versions.count == 3)
    }

    @Test func `no statement of a sync with records in quarantine reads a whole table`() async throws {
        var posts = bench.resource
        posts.schema.contract = RecordContract(typeChange: .quarantine)
        try await sync(
            posts,
            showing: [
                #"[{"id":1,"t":1},{"id":2,"t":2},{"t":3}]"#, #"[{"id":1,"t":"x"},{"id":2,"t":2},{"t":3}]"#,
                #"[{"id":1,"t":"x"},{"id":2,"t":2},{"t":3}]"#, #"[{"id":1,"t":3},{"id":2,"t":2}]"#,
            ])
        #expect(try await bench.store.quarantined(QuarantineSelection()).isEmpty)
    }

    @Test func `no poll of a watched table reads all of its rows`() async throws {
        _ = try await bench.sync()
        let first = try await bench.store.changedKeys(of: "posts", since: 0)
        #expect(!first.keys.isEmpty)
        try await bench.store.indexChanges(of: "posts")
        #expect(try await bench.store.changedKeys(of: "posts", since: first.revision).keys.isEmpty)
        _ = try await bench.store.delete(RecordLookup(resource: "posts", keys: Array(first.keys.prefix(1))))
        #expect(try await bench.store.changedKeys(of: "posts", since: first.revision).keys == [first.keys[0]])
        try await expectNoScans()
    }

    @Test func `no statement that looks for the newest results of a resource reads a whole table`() async throws {
        bench.origin.set("/posts?page=2", .failure(Failure(.noInternetConnection, phase: .notSent)))
        _ = try await bench.sync()
        #expect(try await bench.store.failures(of: ["posts"])["posts"]?.isQueued == true)
        #expect(try await bench.store.newestResults(of: ["posts"])["posts"]?.outcome == .queued)
        #expect(try await bench.store.newestOutcomes(of: ["posts"]) == ["posts": .queued])
        try await expectNoScans()
    }

    @Test func `no statement of the service's look reads a whole table`() async throws {
        _ = try await siding.sync(bench.resource)
        _ = try await siding.dueResources()
        _ = try await siding.drain()
        try await expectNoScans()
    }
}
