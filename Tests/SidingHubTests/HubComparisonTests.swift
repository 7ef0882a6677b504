// SPDX-License-Identifier: Apache-2.0
import PostgreSQLTestSupport
import SidingSQLite
import SidingSynchronization
import Testing

@testable import Siding
@testable import SidingHub

/// Comparing a station's file with a real server.
@Suite(.timeLimit(.minutes(5))) struct HubComparisonTests {
    /// Records with these ids, each with its title.
    private func json(_ titles: KeyValuePairs<Int, String>) -> String {
        "[\(titles.map { #"{"id":\#($0.key),"title":"\#($0.value) ü","price":1}"# }.joined(separator: ","))]"
    }

    @Test(arguments: [1, 2, 10_000])
    func `what is published is the same on both sides, and what is not published yet is no difference`(page: Int)
        async throws
    {
        let bench = try await HubBench()
        try await bench.sync(json([1: "a", 2: "b", 10: "c"]))
        try await bench.publish()
        let published = try await bench.compare { $0.page = page }
        #expect(published.same == 3 && published.isEqual && published.behind == 0 && published.error == nil)
        // A change, a deletion and a new record.
        try await bench.sync(json([1: "new", 10: "c", 3: "d"]))
        let ahead = try await bench.compare { $0.page = page }
        #expect(ahead.same == 1 && ahead.isEqual && ahead.behind == 3, "\(ahead)")
        try await bench.publish()
        #expect(try await bench.compare { $0.page = page }.same == 3)
    }

    @Test(arguments: [1, 10_000])
    func `records that are missing there, differ or are too many are found`(page: Int) async throws {
        let bench = try await HubBench()
        try await bench.sync(json([1: "a", 2: "b", 3: "c", 4: "d", 5: "e", 6: "f"]))
        try await bench.publish()
        for change in [
            "DELETE FROM @.issues WHERE siding_key = '1'",
            "UPDATE @.issues SET siding_deleted_at = now() WHERE siding_key = '2'",
            "UPDATE @.issues SET siding_body = '{}' WHERE siding_key = '3'",
            "UPDATE @.issues SET siding_revision = 1000 WHERE siding_key = '4'",
            "UPDATE @.issues SET siding_key = '77' WHERE siding_key = '6'",
            // Of another station.
            "INSERT INTO @.issues VALUES ('van-2', '99', '{}', 1, now())",
        ] { _ = try await bench.query(change) }
        let before = try await bench.query("SELECT ctid, xmin, * FROM @.siding_positions")
        let found = try await bench.compare { $0.page = page }
        #expect(found.same == 1 && !found.isEqual && found.error == nil)
        #expect(found.missing.keys.sorted() == ["1", "2", "6"] && found.missing.count == 3)
        #expect(found.different.keys.sorted() == ["3", "4"])
        #expect(found.surplus.keys == ["77"])
        #expect(try await bench.query("SELECT ctid, xmin, * FROM @.siding_positions") == before)
        // What the message recommends.
        try await bench.publish { $0.options.adopts = true }
        let adopted = try await bench.compare()
        #expect(adopted.same == 6 && adopted.isEqual, "\(adopted)")
    }

    @Test func `a deletion in the file that the hub does not show is found, and a message names ten records`()
        async throws
    {
        let bench = try await HubBench()
        let many = (1...40).map { #"{"id":\#($0),"title":"t","price":1}"# }
        try await bench.sync("[\(many.joined(separator: ","))]")
        try await bench.publish()
        try await bench.sync("[\(many.prefix(25).joined(separator: ","))]")
        try await bench.publish()
        _ = try await bench.query("UPDATE @.issues SET siding_deleted_at = NULL")
        let found = try await bench.compare()
        #expect(found.same == 25 && found.surplus.count == 15 && found.surplus.keys.count == 10)
    }

    @Test func `a key that does not fit the hub is not missing there`() async throws {
        let bench = try await HubBench()
        let key = String(repeating: "x", count: 2_000)
        try await bench.sync(#"[{"id":"\#(key)","title":"a"},{"id":"b","title":"b","price":1}]"#)
        try await bench.publish()
        let found = try await bench.compare()
        #expect(found.same == 1 && found.isEqual, "\(found.missing.count)")
    }

    @Test func `deletions that are no longer stored are not held against the hub`() async throws {
        let bench = try await HubBench()
        try await bench.sync(json([1: "a", 2: "b"]))
        try await bench.publish()
        try await bench.sync(json([1: "a"]))
        try await bench.store.write { transaction in
            try transaction.execute("DELETE FROM siding_records_issues WHERE deleted_at IS NOT NULL")
            try transaction.execute("UPDATE siding_resources SET forgotten = revision")
        }
        let found = try await bench.compare()
        #expect(found.same == 1 && found.isEqual)
    }

    @Test func `a hub whose json is jsonb is compared by revisions`() async throws {
        let bench = try await HubBench()
        try await bench.sync(json([1: "a", 2: "b"]))
        try await bench.publish()
        for change in ["DROP VIEW @.issues_live", "ALTER TABLE @.issues ALTER COLUMN siding_body TYPE jsonb"] {
            _ = try await bench.query(change)
        }
        #expect(try await bench.compare().same == 2)
        _ = try await bench.query("UPDATE @.issues SET siding_revision = 0 WHERE siding_key = '2'")
        #expect(try await bench.compare().different.keys == ["2"])
    }

    @Test func `nothing is compared, and nothing made there, before the first publication`() async throws {
        let bench = try await HubBench()
        #expect(try await bench.compare().omission == "nothing is stored here")
        try await bench.sync(json([1: "a"]))
        let found = try await bench.compare()
        #expect(found.omission == "nothing is published yet" && found.behind == 1 && found.isEqual)
        #expect(try await bench.query("SELECT to_regnamespace('@')") == ["-"])
    }

    @Test func `a resource that was forgotten and made again is not compared`() async throws {
        let bench = try await HubBench()
        try await bench.sync(json([1: "a"]))
        try await bench.publish()
        _ = try await bench.store.forget(resource: "issues")
        try await bench.sync(json([2: "b"]))
        let found = try await bench.compare()
        #expect(found.omission?.contains("forgotten") == true && found.behind == 1)
    }

    @Test func `a hub whose position is not this file's is refused as for a publication`() async throws {
        let bench = try await HubBench()
        try await bench.sync(json([1: "a"]))
        try await bench.publish()
        let other = try await HubBench(beside: bench)
        try await other.sync(json([1: "b"]))
        let refused = try #require(try await other.compare().error)
        #expect(refused == (try await other.publish().error) && refused.kind == .foreign)
        #expect(refused.hint?.contains("--adopt") == true)
    }
}
