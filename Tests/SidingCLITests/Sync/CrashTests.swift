// SPDX-License-Identifier: Apache-2.0
import Foundation
import SidingOrigin
import SidingTesting
import Testing
import TestSupport

@Suite(.serialized)
struct CrashTests {
    /// Pages at which the child is killed, one in each part of the listing; in the long proof every page.
    private static let kills: [Int] = {
        let stride = Proof.choose(short: 20, middle: 10, long: 1)
        return (0..<100 / stride).map { $0 * stride + Int.random(in: 1...stride) }
    }()

    @Test(arguments: kills)
    func `after kill -9 at any page, one more sync ends with exactly the origin's records`(page: Int) async throws {
        let service = try await Service.start(items: 10_000, pageSize: 100)
        let sandbox = try Sandbox.with(service)
        let killed = try await sandbox.sync(from: service, endedBy: SIGKILL, atRequest: page)
        #expect(killed.status == 137)
        service.deafen()

        let second = try await sandbox.siding("sync")
        #expect(second.status == 0)
        #expect(second.everything == "")
        #expect(try await sandbox.differences(from: service.items) == [])
        let asked = Dictionary(grouping: service.targets) { $0 }.mapValues(\.count)
        #expect(asked.count == 100)
        #expect(asked.values.allSatisfy { $0 <= 2 })
        // Two commits of five pages each, of 100 records, and the page under way.
        #expect(asked.values.count { $0 == 2 } <= 11)
        #expect(try await sandbox.siding("db", "check").status == 0)
        #expect(try await sandbox.siding("queue", "list", "--json").output == "")
        await service.origin.stop()
    }

    @Test func `the run of a killed sync is shown as interrupted, without being written`() async throws {
        let service = try await Service.start(items: 100, pageSize: 20)
        let sandbox = try Sandbox.with(service)
        #expect(try await sandbox.sync(from: service, endedBy: SIGKILL, atRequest: 3).status == 137)
        service.deafen()
        #expect(try await sandbox.siding("status").output.contains("last run: 1, interrupted,"))
        #expect(try await sandbox.siding("status", "--json").object()["last_run"]?["outcome"]?.string == "interrupted")
        #expect(try await sandbox.siding("runs", "list").output.contains("interrupted"))
        #expect(try await sandbox.siding("runs", "show", "1").output.contains("run 1: sync, interrupted"))
        let open = try await sandbox.sqlite(
            sandbox.file("test.db"), "SELECT COUNT(*) FROM siding_runs WHERE ended_at IS NULL")
        #expect(open.output == "1\n")
        await service.origin.stop()
    }

    @Test func `killed again and again, a listing still advances and loses nothing`() async throws {
        let service = try await Service.start(items: 2_000, pageSize: 20)
        let sandbox = try Sandbox.with(service)
        var kills = 0
        for _ in 0..<12 {
            let outcome = try await sandbox.sync(
                from: service, endedBy: SIGKILL, atRequest: Int.random(in: 4...9))
            #expect(outcome.status == 137)
            kills += 1
        }
        service.deafen()
        #expect(try await sandbox.siding("sync").status == 0)
        #expect(try await sandbox.differences(from: service.items) == [])
        // Each process is killed within nine requests.
        #expect(service.targets.count <= 100 + 9 * kills)
        #expect(try await sandbox.siding("db", "check").status == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox.file("test.db.owners")) == [])
        await service.origin.stop()
    }
}
