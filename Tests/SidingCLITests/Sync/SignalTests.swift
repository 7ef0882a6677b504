// SPDX-License-Identifier: Apache-2.0
import Foundation
import SidingOrigin
import Testing

@Suite(.serialized)
struct SignalTests {
    @Test(arguments: [SIGINT, SIGTERM], [true, false])
    func `a signal in mid-listing stops it cleanly, and the next sync continues there`(
        signal: Int32, answers: Bool
    ) async throws {
        let service = try await Service.start(items: 200, pageSize: 10)
        let sandbox = try Sandbox.with(service)
        let child = Promise<Child>()
        let over = Latch()
        service.listen { number, _ in
            if number == 7 {
                try? await child.value().send(signal)
                if !answers { try? await over.wait() }
            }
            return nil
        }
        let began = ContinuousClock.now
        let stopped = try await sandbox.siding(["sync"]) { child.fulfil($0) }
        over.open()
        #expect(stopped.status == 128 + signal && stopped.signal == nil, "\(stopped)")
        #expect(ContinuousClock.now - began < .seconds(10))
        #expect(stopped.output == "")
        service.deafen()
        service.origin.forgetRequests()

        let second = try await sandbox.siding("sync")
        #expect(second.status == 0)
        #expect(second.everything == "")
        #expect(try #require(service.targets.first).hasPrefix("/items?page="))
        #expect(service.targets.count <= 20 - 5)
        #expect(try await sandbox.differences(from: service.items) == [])
        #expect(try await sandbox.siding("queue", "list", "--json").output == "")
        await service.origin.stop()
    }

    @Test func `a stopped run is on record as interrupted, and holds no lock`() async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(service)
        #expect(try await sandbox.sync(from: service, endedBy: SIGTERM, atRequest: 3).status == 143)
        let doctor = try await sandbox.siding("doctor", "--json").objects()
        #expect(doctor.allSatisfy { $0["check"] != .string("lock") })
        let run = try await sandbox.siding("runs", "show", "1", "--json").object()
        #expect(run["ended_at"] != nil)
        await service.origin.stop()
    }

    @Test(arguments: [SIGINT, SIGTERM], [true, false])
    func `a stopped sync has not failed, and leaves the failures before it as they are`(
        signal: Int32, hasFailed: Bool
    ) async throws {
        let service = try await Service.start(items: 200, pageSize: 10)
        let sandbox = try Sandbox.with(service)
        if hasFailed {
            service.origin.inject(.status(404))
            #expect(try await sandbox.siding("sync").status == 69)
        }
        let child = Promise<Child>()
        let over = Latch()
        service.listen { _, request in
            guard request.target.contains("page=3") else { return nil }
            try? await child.value().send(signal)
            try? await over.wait()
            return nil
        }
        let stopped = try await sandbox.siding(["sync"]) { child.fulfil($0) }
        over.open()
        #expect(stopped.status == 128 + signal && stopped.signal == nil, "\(stopped)")
        let status = try await sandbox.siding("status", "--strict")
        #expect(status.status == (hasFailed ? 5 : 0))
        #expect(status.output.contains("stopped before page 3"), "\(status.output)")
        #expect(status.output.contains("failing for") == hasFailed && !status.output.contains("cancelled"))
        let resource = try await sandbox.siding("status", "--json").object()["resources"]?.array?.first
        #expect(resource?["error"]?["status"] == (hasFailed ? .number(404) : nil))
        await service.origin.stop()
    }

    @Test func `a signal while waiting for a lock ends the waiting`() async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(service)
        let arrived = Latch()
        let released = Latch()
        service.listen { number, _ in
            if number == 2 {
                arrived.open()
                try? await released.wait()
            }
            return nil
        }
        let first = try await sandbox.siding(["sync"]) { _ in
            try await arrived.wait()
            defer { released.open() }
            let waiting = try await sandbox.siding(["sync", "--wait-lock", "10m", "-v"]) { child in
                // Its handler stands once the child has begun its run.
                while try await sandbox.siding("runs", "list", "--json").objects().count < 2 {}
                child.send(SIGINT)
            }
            #expect(waiting.status == 130)
        }
        #expect(first.status == 0)
        await service.origin.stop()
    }

    @Test func `a second signal ends a command at once`() async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(service)
        let child = Promise<Child>()
        service.listen { number, _ in
            if number == 2, let child = try? await child.value() { for _ in 0..<50 { child.send(SIGTERM) } }
            return nil
        }
        let outcome = try await sandbox.siding(["sync"]) { child.fulfil($0) }
        #expect(outcome.status == 143)
        service.deafen()
        #expect(try await sandbox.siding("sync").status == 0)
        #expect(try await sandbox.differences(from: service.items) == [])
        await service.origin.stop()
    }

    @Test(arguments: [
        ["records", "list", "items"], ["records", "list", "items", "--json"], ["query", "select * from items"],
    ])
    func `a reader that goes away ends the command quietly with 141`(arguments: [String]) async throws {
        let service = try await Service.start(items: 20_000, pageSize: 5_000)
        let sandbox = try Sandbox.with(service)
        #expect(try await sandbox.siding("sync").status == 0)
        let (outcome, line) = try await sandbox.siding(arguments, into: .head)
        #expect(outcome.status == 141)
        #expect(outcome.error == "")
        #expect(line != "")
        await service.origin.stop()
    }

    @Test func `where standard output has no room, the command says so and exits 74`() async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(service)
        #expect(try await sandbox.siding("sync").status == 0)
        let (outcome, _) = try await sandbox.siding(["records", "list", "items"], into: .fullDisk)
        #expect(outcome.status == 74)
        #expect(outcome.error.contains("No space left on device"))
        await service.origin.stop()
    }
}
