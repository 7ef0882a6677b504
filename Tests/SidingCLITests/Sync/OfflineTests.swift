// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import SidingOrigin
import Testing

@Suite(.serialized)
struct OfflineTests {
    /// A sync of four pages that stopped before page 3, because the origin went down there.
    private func stoppedBeforePageThree() async throws -> (service: Service, sandbox: Sandbox, first: Outcome) {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(service, source: "retry: { inline: 0 }")
        service.origin.inject(.refuse, skipping: 2)
        return (service, sandbox, try await sandbox.siding("sync"))
    }

    @Test func `an origin that goes down in mid-listing leaves one queued page, and exit 75`() async throws {
        let (_, sandbox, first) = try await stoppedBeforePageThree()
        #expect(first.status == 75)
        #expect(first.output == "")
        #expect(first.error.contains("items: queued: "))
        #expect(try await sandbox.count() == 20)
        let entries = try await sandbox.siding("queue", "list", "--json").objects()
        #expect(entries.count == 1)
        #expect(entries.first?["state"] == .string("queued"))
        #expect(entries.first?["page"] == .number(3))
    }

    @Test func `queue show explains in plain words which page waits, why, and what happens next`() async throws {
        let (service, sandbox, _) = try await stoppedBeforePageThree()
        let id = try #require(try await sandbox.siding("queue", "list", "--json").object()["id"]?.string)
        let shown = try await sandbox.siding("queue", "show", String(id.prefix(4)))
        #expect(shown.status == 0)
        #expect(shown.output.contains("page 3 of 'items' could not be fetched"))
        #expect(shown.output.contains("\(service.url)/items?page=3"))
        #expect(shown.output.contains("'siding sync items' tries it at once"))
        #expect(shown.output.contains("The listing continues at page 3"))
        #expect(shown.output.contains("retained: "))
    }

    @Test func `after the origin is back, the first request is the page that was missed, and the entry is completed`()
        async throws
    {
        let (service, sandbox, _) = try await stoppedBeforePageThree()
        service.origin.forgetRequests()
        try await service.origin.restart()
        let second = try await sandbox.siding("sync")
        #expect(second.status == 0)
        #expect(second.everything == "")
        #expect(service.targets == ["/items?page=3", "/items?page=4"])
        #expect(try await sandbox.differences(from: service.items) == [])
        #expect(try await sandbox.siding("queue", "list", "--json").output == "")
        let completed = try await sandbox.siding("queue", "list", "--state", "done", "--json").objects()
        #expect(completed.count == 1)
        #expect(completed.first?["completed_at"] != nil)
        await service.origin.stop()
    }

    @Test func `failing again and again piles nothing up`() async throws {
        let (service, sandbox, _) = try await stoppedBeforePageThree()
        await service.origin.stop()
        for _ in 0..<3 { #expect(try await sandbox.siding("sync").status == 75) }
        let entries = try await sandbox.siding("queue", "list", "--json").objects()
        #expect(entries.count == 1)
        #expect(entries.first?["attempts"] == .number(4))
    }

    @Test func `offline by request sends nothing, retains the page, and exits 75`() async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(service)
        let outcome = try await sandbox.siding("sync", "--offline")
        #expect(outcome.status == 75)
        #expect(service.targets == [])
        #expect(outcome.error.contains("--offline was given"))
        #expect(try await sandbox.siding("queue", "list", "--json").object()["page"] == .number(1))
        #expect(try await sandbox.siding("sync").status == 0)
        #expect(try await sandbox.differences(from: service.items) == [])
        await service.origin.stop()
    }

    @Test(.enabled(if: geteuid() == 0, "a network of one's own needs root"))
    func `without any network the page is queued as offline, without a counted try`() async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(service)
        let outcome = try await sandbox.run("/usr/bin/unshare", ["--net", SidingBinary.path(), "sync"])
        #expect(outcome.status == 75)
        #expect(outcome.error.contains("items: queued: no internet connection"))
        let entry = try await sandbox.siding("queue", "list", "--json").object()
        #expect(entry["attempts"] == .number(0))
        #expect(entry["last_error"]?["name"] == .string("noInternetConnection"))
        #expect(service.targets == [])
        #expect(try await sandbox.siding("sync").status == 0)
        #expect(try await sandbox.differences(from: service.items) == [])
        await service.origin.stop()
    }

    @Test(.enabled(if: geteuid() == 0, "a network of one's own needs root"))
    func `a sync sends at once the pages kept earlier for lack of a network`() async throws {
        let service = try await Service.start()
        service.listen { _, request in request.method == "POST" ? .json("{}", status: .created) : nil }
        let sandbox = try Sandbox.with(service)
        let alone = ["--net", try SidingBinary.path()]
        let sent = try await sandbox.run("/usr/bin/unshare", alone + ["send", "POST", "shop:/orders", "-d", "{}"])
        #expect(sent.status == 75)
        #expect(try await sandbox.run("/usr/bin/unshare", alone + ["sync"]).status == 75)
        #expect(service.targets == [])
        #expect(try await sandbox.siding("sync").status == 0)
        #expect(service.targets.first == "/orders")
        #expect(try await sandbox.siding("queue", "list", "--json").output == "")
        await service.origin.stop()
    }

    @Test func `with --no-queue a failure retains nothing and does not say that it is safe`() async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(service)
        await service.origin.stop()
        let outcome = try await sandbox.siding("sync", "--no-queue")
        #expect(outcome.status == 1)
        #expect(outcome.error.contains("items: failed: can't connect to host: connection refused"))
        #expect(try await sandbox.siding("queue", "list", "--json").output == "")
    }
}
