// SPDX-License-Identifier: Apache-2.0
import SidingOrigin
import Testing

@Suite(.serialized)
struct LockTests {
    /// Runs `work` while a sync of `items` stands at its second page, and lets that sync end.
    private func whileSyncing(
        _ service: Service, _ sandbox: Sandbox, _ work: @escaping @Sendable (Child) async throws -> Void
    ) async throws -> Outcome {
        let arrived = Latch()
        let released = Latch()
        service.listen { number, _ in
            if number == 2 {
                arrived.open()
                try? await released.wait()
            }
            return nil
        }
        return try await sandbox.siding(["sync", "items"]) { child in
            try await arrived.wait()
            service.deafen()
            defer { released.open() }
            try await work(child)
        }
    }

    @Test func `a second sync of the same resource exits 11 and says which process holds it since when`() async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(service)
        let first = try await whileSyncing(service, sandbox) { child in
            let second = try await sandbox.siding("sync")
            #expect(second.status == 11)
            #expect(second.error.contains("'items' is held by process \(child.processID) on "))
            #expect(second.error.contains("(sync items) since 20"))
            #expect(second.error.contains("--wait-lock"))
            let reported = try await sandbox.siding("sync", "--json")
            #expect(reported.status == 11)
            #expect(try reported.object()["outcome"] == .string("skipped"))
            let reset = try await sandbox.siding("state", "reset", "items")
            #expect(reset.status == 11)
            #expect(reset.error.contains("'items' is held by process \(child.processID) on "))
        }
        #expect(first.status == 0)
        #expect(try await sandbox.differences(from: service.items) == [])
        #expect(service.targets.count == 4)
        await service.origin.stop()
    }

    @Test func `with --wait-lock the second sync waits for the first and succeeds`() async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(service)
        let arrived = Latch()
        let waiting = Latch()
        service.listen { number, _ in
            if number == 2 {
                arrived.open()
                try? await waiting.wait()
            }
            return nil
        }
        let first = try await sandbox.siding(["sync"]) { _ in
            try await arrived.wait()
            let second = try await sandbox.siding(["sync", "--wait-lock", "30s", "--json"]) { _ in waiting.open() }
            #expect(second.status == 0)
            #expect(try second.object()["outcome"] == .string("not_modified"))
        }
        #expect(first.status == 0)
        await service.origin.stop()
    }

    @Test func `quarantine retry is refused while a sync holds its resource`() async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(service)
        _ = try await whileSyncing(service, sandbox) { child in
            try await sandbox.sqlite(
                sandbox.file("test.db"),
                """
                PRAGMA busy_timeout = 10000;
                INSERT INTO siding_quarantine (resource, run, url, position, reason, body, created_at, key, code, seen_at,
                    scope, sent)
                VALUES (1, 1, 'https://example.org', 1, 'odd', CAST('{"id":99}' AS BLOB), 1, '99', 'type_change', 1, '', '')
                """)
            let retried = try await sandbox.siding("quarantine", "retry")
            #expect(retried.status == 11, "\(retried)")
            #expect(retried.error.contains("'items' is held by process \(child.processID) on "))
            let object = try await sandbox.siding("quarantine", "retry", "--json").object()
            #expect(object["done"] == .bool(false) && object["refusal"]?.string?.contains("(sync items)") == true)
        }
        await service.origin.stop()
    }

    @Test func `where one resource is held, the others are synced all the same, and the exit is 11`() async throws {
        let other = RecordListing("/other", of: Dataset([Service.item(1)]), paging: .single)
        let service = try await Service.start(routes: [other])
        let sandbox = try Sandbox.with(service, more: "  other: { path: /other, key: id }")
        let first = try await whileSyncing(service, sandbox) { _ in
            let second = try await sandbox.siding("sync", "--json")
            #expect(second.status == 11)
            #expect(try second.objects().map { $0["outcome"] } == [.string("skipped"), .string("saved")])
            #expect(try await sandbox.count("other") == 1)
        }
        #expect(first.status == 0)
        await service.origin.stop()
    }

    @Test func `of eight syncs begun at once on no database, one does the work and the others exit 11`() async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(service)
        let othersEnded = Latch()
        service.listen { number, _ in
            if number == 2 { try? await othersEnded.wait() }
            return nil
        }
        let codes = try await withThrowingTaskGroup(of: Int32.self) { group in
            for _ in 0..<8 { group.addTask { try await sandbox.siding("sync").status } }
            var codes: [Int32] = []
            for try await code in group {
                codes.append(code)
                if codes.count == 7 { othersEnded.open() }
            }
            return codes
        }
        #expect(codes.sorted() == [0, 11, 11, 11, 11, 11, 11, 11])
        #expect(service.targets.count == 4)
        #expect(try await sandbox.differences(from: service.items) == [])
        #expect(try await sandbox.siding("db", "check").status == 0)
        await service.origin.stop()
    }

    @Test func `a resource that is named twice is synced once`() async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(service)
        #expect(try await sandbox.siding("sync", "items", "items", "--json").object()["outcome"] == .string("saved"))
        #expect(service.targets.count == 4)
        await service.origin.stop()
    }

    @Test func `records can be read while a sync is under way`() async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(service)
        let first = try await whileSyncing(service, sandbox) { _ in
            for command in [["records", "count"], ["status"], ["db", "check"], ["queue", "list"]] {
                let outcome = try await sandbox.siding(command)
                #expect(outcome.status == 0, "\(command)")
            }
        }
        #expect(first.status == 0)
        await service.origin.stop()
    }
}
