// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingCredentials
import SidingJSON
import SidingPaging
import SidingTesting
import Testing

@testable import Siding

/// What listings prove that were interrupted, redefined, or not of all there is.
@Suite struct RedefinedListingTests {
    @Test func `of a stable paging one listing is enough, unless it was interrupted`() async throws {
        let bench = try await EngineBench.listed(isStable: true)
        bench.list("[1]")
        bench.origin.set("/posts?page=2", .failure(Failure(.connectionLost, phase: .maybeSent)))
        #expect(try await bench.sync().result.outcome == .queued)
        bench.list("[1]")
        let resumed = try await bench.sync()
        #expect(resumed.result.notes.contains { $0.hasPrefix("resumed") })
        #expect(resumed.result.counters.deleted == 0)
        #expect(try await bench.sync().result.counters.deleted == 1)
        bench.list("[1]", "[3]")
        #expect(try await bench.sync().result.counters.deleted == 1)
        #expect(try await bench.tombstones() == ["2", "4"])
    }

    @Test func `a listing that restarted and found one page only is not enough`() async throws {
        let bench = try await EngineBench.listed { $0.deletions.most = 0.8 }
        bench.origin.set("/posts?page=2", .failure(Failure(.connectionLost, phase: .maybeSent)))
        _ = try await bench.sync()
        bench.origin.set("/posts?page=2", .status(.notFound))
        bench.origin.set("/posts", ScriptedOrigin.page("[1,2]"))
        let report = try await bench.sync()
        #expect(report.result.notes.contains { $0.hasPrefix("restarted") })
        #expect(report.result.counters.deleted == 0)
        for deleted in [0, 3] { #expect(try await bench.sync().result.counters.deleted == deleted) }
    }

    @Test func `the run in which the definition changed deletes nothing, the next may`() async throws {
        var bench = try await EngineBench.listed(isStable: true)
        bench.resource.query = ["state": "open"]
        bench.origin.set("/posts?state=open", ScriptedOrigin.page("[1,2,3]", next: "/posts?page=9"))
        bench.origin.set("/posts?page=9", ScriptedOrigin.page("[4]"))
        #expect(try await bench.sync().result.counters.deleted == 0)
        #expect(try await bench.sync().result.counters.deleted == 1)
        #expect(try await bench.tombstones() == ["5"])
    }

    @Test(arguments: [false, true])
    func `no run deletes before one listing is complete under the changed definition`(
        _ isStable: Bool
    ) async throws {
        var bench = try await EngineBench(ScriptedOrigin(["/posts": ScriptedOrigin.page("[1,2,3,4]")]))
        bench.resource.deletions = Deletions(byAbsence: true)
        bench.resource.isStable = isStable
        for _ in 0..<2 { _ = try await bench.sync() }
        bench.resource.query = ["state": "open"]
        bench.origin.set("/posts?state=open", .failure(Failure(.noInternetConnection, phase: .notSent)))
        _ = try await bench.sync()
        bench.origin.set("/posts?state=open", ScriptedOrigin.page("[1,2,3]"))
        #expect(try await bench.sync(SyncOptions(isFull: true)).result.counters.deleted == 0)
        // The pages of the changed definition were not known before: where they may shift, that takes a third listing.
        for deleted in isStable ? [1] : [0, 1] { #expect(try await bench.sync().result.counters.deleted == deleted) }
    }

    @Test func `an ad-hoc listing and one of changes delete nothing`() async throws {
        var bench = try await EngineBench.listed(isStable: true)
        for _ in 0..<3 { #expect(try await bench.sync(SyncOptions(limit: 1)).result.counters.deleted == 0) }
        bench.resource.query = ["since": "{cursor}"]
        bench.resource.cursor = IncrementalCursor(at: .record(try JSONPath(parsing: "$.id")), type: .integer)
        for target in ["/posts", "/posts?since=5"] { bench.origin.set(target, ScriptedOrigin.page("[5]")) }
        bench.origin.set("/posts", ScriptedOrigin.page("[1,2,3,4,5]"))
        _ = try await bench.sync()
        for _ in 0..<3 { #expect(try await bench.sync().result.counters.deleted == 0) }
        #expect(try await bench.keys().count == 5)
        // What is asked for whole proves again, also for records that only a listing of changes brought.
        bench.origin.set("/posts?since=5", ScriptedOrigin.page("[5,6]"))
        _ = try await bench.sync()
        bench.origin.set("/posts", ScriptedOrigin.page("[1,2,3,5]"))
        #expect(try await bench.sync(SyncOptions(isFull: true)).result.counters.deleted == 2)
        #expect(try await bench.tombstones() == ["4", "6"])
    }

    @Test func `under a changed definition records are verified once a listing was complete`() async throws {
        var bench = try await EngineBench.listed { $0.deletions.recordPath = "/posts/{id}" }
        // 2 was lacked, and is there, before the definition changes.
        bench.origin.set("/posts/2", ScriptedOrigin.page("[2]"))
        bench.list("[1]")
        #expect(try await bench.sync().result.counters.deleted == 0)
        bench.origin.set("/posts/2", .status(.notFound))
        bench.resource.query = ["state": "open"]
        bench.origin.set("/posts?state=open", ScriptedOrigin.page("[1,3,4]"))
        bench.time.advance(by: .seconds(86_401))
        _ = bench.origin.takeTargets()
        #expect(try await bench.sync().result.counters.deleted == 0)
        #expect(bench.origin.takeTargets() == ["/posts?state=open"])
        #expect(try await bench.sync().result.counters.deleted == 2)
        #expect(bench.origin.takeTargets().sorted() == ["/posts/2", "/posts/5", "/posts?state=open"])
    }

    @Test func `another tenant or another user is a changed definition`() async throws {
        let tenant = try #require(HTTPField.Name("X-Tenant"))
        var bench = try await EngineBench.listed(isStable: true) { $0.source.headerFields[tenant] = "a" }
        bench.resource.source.headerFields[tenant] = "b"
        bench.list("[1]")
        let other = try await bench.sync()
        #expect(other.warnings == ["the definition changed (headers): full listing"])
        #expect(other.result.counters.deleted == 0)
        #expect(try await bench.sync().result.counters.deleted == 1)
        func asked(by user: String, password: String) async throws -> SyncReport {
            bench.resource.source.authorization = .basic(
                user: Secret(plain: user, "'user'"), password: Secret("env P") { password })
            return try await bench.sync()
        }
        #expect(try await asked(by: "ann", password: "one").warnings == ["the definition changed (auth): full listing"])
        bench.list("[]")
        // A secret that was renewed is no other account.
        let renewed = try await asked(by: "ann", password: "two")
        #expect(renewed.warnings == [] && renewed.result.counters.deleted == 1)
        bench.list("[]", "[3]")
        let bob = try await asked(by: "bob", password: "two")
        #expect(bob.warnings == ["the definition changed (auth): full listing"] && bob.result.counters.deleted == 0)
        #expect(try await asked(by: "bob", password: "two").result.counters.deleted == 1)
    }
}
