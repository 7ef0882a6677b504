// SPDX-License-Identifier: Apache-2.0
import PostgreSQLTestSupport
import SidingJSON
import SidingSQLite
import SidingSynchronization
import Testing

@testable import Siding
@testable import SidingHub

/// Publishing to a real server.
@Suite(.timeLimit(.minutes(5))) struct HubPublisherTests {
    @Test(arguments: [false, true])
    func `records arrive with their columns, and afterwards what has changed or was deleted`(isPartitioned: Bool)
        async throws
    {
        let bench = try await HubBench()
        try await bench.sync(
            #"[{"id":1,"title":"a \"b\" {c}, \\ ü","price":1.50},{"id":2,"title":"x","price":"2","body":{"k":[1]}},{"id":3,"title":null}]"#
        )
        if isPartitioned { try await bench.partition() }
        #expect(try await bench.publish().rows == 3)
        #expect(try await bench.living() == [#"van-1 1 a "b" {c}, \ ü 1.50"#, "van-1 2 x 2", "van-1 3 - -"])
        #expect(
            try await bench.query("SELECT body, siding_body ->> 'price' FROM @.issues WHERE id = 2") == [
                #"{"k":[1]} 2"#
            ])
        try await bench.sync(
            #"[{"id":1,"title":"new","price":1.50},{"id":2,"title":"x","price":"2","body":{"k":[1]}}]"#)
        #expect(try await bench.publish().rows == 2)
        #expect(try await bench.living() == ["van-1 1 new 1.50", "van-1 2 x 2"])
        #expect(try await bench.query("SELECT siding_key FROM @.issues WHERE siding_deleted_at IS NOT NULL") == ["3"])
    }

    @Test func `without changes nothing is written there`() async throws {
        let bench = try await HubBench()
        try await bench.sync(#"[{"id":1,"title":"a"}]"#)
        try await bench.publish()
        let position = "SELECT mark, published_at, xmin FROM @.siding_positions"
        let before = try await bench.query(position)
        #expect(try await bench.publish() == HubReport("issues"))
        #expect(try await bench.query(position) == before)
    }

    @Test(arguments: [1, 2, 7])
    func `a batch may end within a commit of the file`(rows: Int) async throws {
        let bench = try await HubBench()
        for count in 1...4 {
            try await bench.sync(
                "[\((1...count * 3).map { #"{"id":\#($0),"title":"t\#($0)"}"# }.joined(separator: ","))]")
        }
        #expect(try await bench.publish { $0.most.rows = rows }.rows == 12)
        #expect(try await bench.living().count == 12)
    }

    @Test func `stations share tables, each with rows of its own`() async throws {
        let first = try await HubBench()
        let second = try await HubBench("van-2", beside: first)
        try await first.sync(#"[{"id":1,"title":"a","price":1},{"id":2,"title":"c","price":1}]"#)
        try await second.sync(#"[{"id":1,"title":"b","price":2}]"#)
        for bench in [first, second] { try await bench.publish() }
        try await first.sync(#"[{"id":2,"title":"c","price":1}]"#)
        try await first.publish()
        #expect(try await first.living() == ["van-1 2 c 1", "van-2 1 b 2"])
    }

    @Test func `a column that is declared later is added, and filled for all records`() async throws {
        let bench = try await HubBench(columns: [RecordColumn("id", .integer)])
        try await bench.sync(#"[{"id":1,"title":"a"},{"id":2,"title":"b"}]"#)
        try await bench.publish()
        let wider = try await HubBench(beside: bench, from: bench.store.path)
        try await wider.sync(#"[{"id":1,"title":"a"},{"id":2,"title":"c"}]"#)
        try await wider.publish()
        #expect(try await wider.living() == ["van-1 1 a -", "van-1 2 c -"])
    }

    @Test func `values that do not fit are counted, and stop nothing`() async throws {
        let bench = try await HubBench()
        try await bench.sync(#"[{"id":1,"title":"a\u0000b","price":"cheap"},{"id":2,"title":"c","price":1e400}]"#)
        let report = try await bench.publish()
        #expect(report.error == nil && report.misfits == ["price": 1])
        #expect(
            try await bench.query("SELECT price IS NULL, price = 1e400 FROM @.issues ORDER BY siding_key") == [
                "t -", "f t",
            ])
        let body = try await bench.query("SELECT siding_body FROM @.issues ORDER BY siding_key LIMIT 1")
        #expect(body == [#"{"id":1,"title":"a\u0000b","price":"cheap"}"#])
    }

    @Test func `a resource without records has nothing to publish, and a key that is too long is left out`()
        async throws
    {
        let bench = try await HubBench()
        try await bench.sync("[]")
        #expect(try await bench.publish().error == nil)
        // Long keys that an index cannot make short.
        let key = (0..<400).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }.joined()
        try await bench.sync(#"[{"id":"\#(key)","title":"a"},{"id":"b","title":"b","price":1}]"#)
        let report = try await bench.publish()
        #expect(report.error == nil && report.misfits["siding_key"] == 1)
        #expect(try await bench.living() == ["van-1 b b 1"])
    }

    // MARK: Whose position it is

    @Test(arguments: [CommitProxy.Break.beforeServer, .within, .afterServer], [false, true])
    func `a connection that breaks at the commit loses nothing and sends nothing twice`(
        moment: CommitProxy.Break, isPartitioned: Bool
    ) async throws {
        var bench = try await HubBench()
        try await bench.sync(#"[{"id":1,"title":"a","price":1}]"#)
        if isPartitioned { try await bench.partition() }
        try await bench.publish()
        try await bench.sync(#"[{"id":1,"title":"b","price":1},{"id":2,"title":"c","price":2}]"#)
        let direct = bench.target.address
        let proxy = try CommitProxy(to: bench.server.directory, breaks: moment)
        bench.target.address = direct.replacing(bench.server.directory, with: proxy.directory)
        await #expect { try await bench.publish() } throws: { ($0 as? HubError)?.kind == .unavailable }
        bench.target.address = direct
        #expect(try await bench.publish().rows == (moment == .afterServer ? 0 : 2))
        #expect(try await bench.living() == ["van-1 1 b 1", "van-1 2 c 2"])
    }

    @Test(arguments: [false, true])
    func `a copy of the file, or an older one, is refused until a person decides`(isPartitioned: Bool) async throws {
        let bench = try await HubBench()
        try await bench.sync(#"[{"id":1,"title":"a","price":1},{"id":2,"title":"b","price":1}]"#)
        if isPartitioned { try await bench.partition() }
        try await bench.publish()
        let copy = try await HubBench(beside: bench, from: bench.store.path)
        try await bench.sync(#"[{"id":1,"title":"new","price":1},{"id":2,"title":"b","price":1}]"#)
        try await bench.publish()
        try await copy.sync(#"[{"id":1,"title":"old","price":1},{"id":3,"title":"c","price":1}]"#)
        #expect(try await copy.publish().error?.kind == .foreign)
        #expect(try await bench.living() == ["van-1 1 new 1", "van-1 2 b 1"])
        let adopted = try await copy.publish { $0.options.adopts = true }
        #expect(adopted.error == nil && adopted.comparison != nil)
        #expect(try await bench.living() == ["van-1 1 old 1", "van-1 3 c 1"])
        // Now the other one is shut out.
        try await bench.sync(#"[{"id":9,"title":"late","price":1}]"#)
        #expect(try await bench.publish().error?.kind == .foreign)
        #expect(try await bench.living() == ["van-1 1 old 1", "van-1 3 c 1"])
    }

    @Test(arguments: [CommitProxy.Break.beforeServer, .afterServer])
    func `an adoption that breaks is still to be made, or continues`(moment: CommitProxy.Break) async throws {
        let bench = try await HubBench()
        try await bench.sync(#"[{"id":1,"title":"a","price":1},{"id":2,"title":"b","price":1}]"#)
        try await bench.publish()
        var copy = try await HubBench(beside: bench, from: bench.store.path)
        try await bench.sync(#"[{"id":1,"title":"new","price":1},{"id":2,"title":"b","price":1}]"#)
        try await bench.publish()
        let direct = copy.target.address
        let proxy = try CommitProxy(to: bench.server.directory, breaks: moment)
        copy.target.address = direct.replacing(bench.server.directory, with: proxy.directory)
        await #expect { try await copy.publish { $0.options.adopts = true } } throws: {
            ($0 as? HubError)?.kind == .unavailable
        }
        copy.target.address = direct
        let next = try await copy.publish()
        #expect(next.error?.kind == (moment == .beforeServer ? .foreign : nil), "\(next)")
        if moment == .beforeServer { try await copy.publish { $0.options.adopts = true } }
        #expect(try await bench.living() == ["van-1 1 a 1", "van-1 2 b 1"])
        try await bench.sync(#"[{"id":1,"title":"newer","price":1},{"id":2,"title":"b","price":1}]"#)
        #expect(try await bench.publish().error?.kind == .foreign)
    }

    @Test(arguments: [false, true])
    func `deletions that are no longer stored are found by a comparison`(isPartitioned: Bool) async throws {
        let bench = try await HubBench()
        try await bench.sync(
            #"[{"id":1,"title":"a","price":1},{"id":2,"title":"b","price":1},{"id":3,"title":"c","price":1}]"#)
        if isPartitioned { try await bench.partition() }
        try await bench.publish()
        try await bench.sync(#"[{"id":1,"title":"a","price":1},{"id":3,"title":"new","price":1}]"#)
        try await bench.store.write { transaction in
            try transaction.execute("DELETE FROM siding_records_issues WHERE deleted_at IS NOT NULL")
            try transaction.execute("UPDATE siding_resources SET forgotten = revision")
        }
        let report = try await bench.publish()
        #expect(report.comparison?.contains("deletions") == true && report.deleted == 1 && report.rows == 1)
        #expect(try await bench.living() == ["van-1 1 a 1", "van-1 3 new 1"])
        #expect(try await bench.publish() == HubReport("issues"))
    }

    @Test func `another file under the same name is refused`() async throws {
        let bench = try await HubBench()
        try await bench.sync(#"[{"id":1,"title":"a","price":1}]"#)
        try await bench.publish()
        let other = try await HubBench(beside: bench)
        try await other.sync(#"[{"id":1,"title":"b","price":1}]"#)
        #expect(try await other.publish().error?.kind == .foreign)
    }

    @Test func `a hub that has lost its position is refused, and filled again by adoption`() async throws {
        let bench = try await HubBench()
        try await bench.sync(#"[{"id":1,"title":"a","price":1}]"#)
        try await bench.publish()
        _ = try await bench.query("DELETE FROM @.siding_positions")
        _ = try await bench.query("UPDATE @.issues SET siding_key = '7'")
        #expect(try await bench.publish().error?.kind == .foreign)
        try await bench.publish { $0.options.adopts = true }
        #expect(try await bench.living() == ["van-1 1 a 1"])
    }

    @Test(arguments: [false, true])
    func `a resource that was forgotten and made again is compared`(isPartitioned: Bool) async throws {
        let bench = try await HubBench()
        try await bench.sync(
            #"[{"id":1,"title":"a","price":1},{"id":2,"title":"b","price":1},{"id":3,"title":"c","price":1}]"#)
        if isPartitioned { try await bench.partition() }
        try await bench.publish()
        _ = try await bench.store.forget(resource: "issues")
        try await bench.sync(#"[{"id":1,"title":"z","price":1},{"id":2,"title":"b","price":1}]"#)
        let report = try await bench.publish()
        #expect(report.comparison?.contains("forgotten") == true && report.deleted == 1)
        #expect(try await bench.living() == ["van-1 1 z 1", "van-1 2 b 1"])
    }

    @Test func `a comparison deletes no more than the guard allows`() async throws {
        let bench = try await HubBench()
        let many = (1...40).map { #"{"id":\#($0),"title":"t","price":1}"# }
        try await bench.sync("[\(many.joined(separator: ","))]")
        try await bench.publish()
        _ = try await bench.store.forget(resource: "issues")
        try await bench.sync("[\(many.prefix(20).joined(separator: ","))]")
        let blocked = try await bench.publish()
        #expect(blocked.error?.kind == .deletionGuard)
        #expect(try await bench.living().count == 40)
        #expect(try await bench.publish().error?.kind == .deletionGuard, "it is not forgotten")
        #expect(try await bench.publish { $0.options.acceptsDeletes = true }.deleted == 20)
        #expect(try await bench.living().count == 20)
    }

    @Test func `the guard of a comparison has the share of the resource`() async throws {
        var bench = try await HubBench()
        let many = (1...40).map { #"{"id":\#($0),"title":"t","price":1}"# }
        try await bench.sync("[\(many.joined(separator: ","))]")
        try await bench.publish()
        _ = try await bench.store.forget(resource: "issues")
        try await bench.sync("[\(many.prefix(20).joined(separator: ","))]")
        bench.target.mostDeleted = ["issues": 0.49]
        #expect(try await bench.publish().error?.kind == .deletionGuard)
        bench.target.mostDeleted = ["issues": 0.5]
        #expect(try await bench.publish().deleted == 20)
    }

    // MARK: Tables

    @Test func `a table without the key, or with another type, is refused with what to do`() async throws {
        let bench = try await HubBench()
        try await bench.sync(#"[{"id":1,"title":"a","price":1}]"#)
        try await bench.publish()
        for change in ["DROP VIEW @.issues_live", "ALTER TABLE @.issues ALTER COLUMN title TYPE varchar(9)"] {
            _ = try await bench.query(change)
        }
        try await bench.sync(#"[{"id":1,"title":"b","price":1}]"#)
        let refused = try await bench.publish()
        #expect(refused.error?.kind == .refused && refused.behind == 1)
        #expect(refused.error?.hint?.contains("ALTER COLUMN \"title\" TYPE text") == true)
        for change in ["DROP VIEW IF EXISTS @.issues_live", "ALTER TABLE @.issues ALTER COLUMN title TYPE text"] {
            _ = try await bench.query(change)
        }
        try await bench.publish()
        #expect(try await bench.living() == ["van-1 1 b 1"])
        try await bench.sync(#"[{"id":1,"title":"c","price":1}]"#)
        _ = try await bench.query("ALTER TABLE @.issues DROP CONSTRAINT issues_pkey")
        #expect(try await bench.publish().error?.message.contains("primary key") == true)
    }
}
