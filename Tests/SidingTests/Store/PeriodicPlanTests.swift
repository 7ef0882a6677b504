import SidingChain
import SidingJSON
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
            environment: Environment(connectivity: bench.connectivity, wallClock: bench.time.clock))
    }

    /// The statements that read a whole table which grows with time or with the origin.
    private func scans() async throws -> [String] {
        // These have a row per resource, member, source or lease, or few rows in a partial index.
        let small = [
            "json_each", "siding_resources", "r", "siding_sources", "siding_leases", "siding_texts", "siding_passes",
            "sqlite_schema", "sqlite_sequence", "s", "siding_columns", "siding_child_columns", "CONSTANT ROW",
            "siding_outbox USING INDEX siding_outbox_sign_in", "siding_runs USING INDEX siding_runs_unfinished",
            "siding_runs USING COVERING INDEX siding_runs_unfinished",
        ]
        var found: [String] = []
        for sql in try await bench.store.recentStatements() where isQuery(sql) {
            for line in try await bench.store.plan(of: sql) where line.hasPrefix("SCAN ") {
                let what = line.dropFirst("SCAN ".count)
                // What a migration asks of SQLite itself when the file is made is no table of ours.
                if what.hasPrefix("pragma_") || what.hasPrefix("(subquery") { continue }
                // Which living records no page shows is asked where pages or records changed, and is about all of them.
                if sql == "SELECT rowid FROM \"siding_records_posts\" WHERE deleted_at IS NULL AND pending = 0" {
                    continue
                }
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

    @Test func `no statement of the service's look reads a whole table`() async throws {
        _ = try await siding.sync(bench.resource)
        _ = try await siding.dueResources()
        _ = try await siding.drain()
        try await expectNoScans()
    }
}
