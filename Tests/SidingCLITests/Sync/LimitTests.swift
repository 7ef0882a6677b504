// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import SidingOrigin
import SidingSynchronization
import Testing

/// `limits:` over real processes, real sockets and one real file.
@Suite(.serialized)
struct LimitTests {
    /// When requests arrived, taken down before they are answered: no answer can be earlier.
    private final class Arrivals: Sendable {
        private let times = Mutex<[ContinuousClock.Instant]>([])

        /// - Returns: how many came so far.
        func note() -> Int {
            times.withLock { times in
                times.append(.now)
                return times.count
            }
        }

        var count: Int { times.withLock { $0.count } }

        /// The most that any span of `window` has, wherever it begins.
        func most(in window: Duration) -> Int {
            let times = times.withLock { $0.sorted() }
            return times.indices.map { start in times[start...].prefix { $0 - times[start] < window }.count }.max() ?? 0
        }
    }

    private static let second = "  more: { path: /items, key: id }"

    @Test func `two processes under one limit: the origin never sees more in any span of its length`() async throws {
        let service = try await Service.start(items: 36, pageSize: 4)
        let sandbox = try Sandbox.with(
            service, source: #"limits: [{ match: "**", rate: 6/s }]"#, more: Self.second)
        let arrivals = Arrivals()
        service.listen { _, _ in
            _ = arrivals.note()
            return nil
        }
        async let one = sandbox.siding("sync", "items")
        async let two = sandbox.siding("sync", "more")
        let outcomes = try await [one, two]
        #expect(outcomes.map(\.status) == [0, 0], "\(outcomes.map(\.everything))")
        #expect(arrivals.count == 18)
        #expect(arrivals.most(in: .seconds(1)) <= 6)
        #expect(try await sandbox.differences(from: service.items) == [])
        #expect(try await sandbox.differences(from: service.items, "more") == [])
        await service.origin.stop()
    }

    @Test func `a killed process leaves its requests counted, and the other one continues in the end`() async throws {
        let service = try await Service.start(items: 20, pageSize: 4)
        // What a killed process sent may come so much later than it was counted.
        let sandbox = try Sandbox.with(
            service, source: #"http: { total_timeout: 3s }, limits: [{ match: "**", rate: 3/2s }]"#, more: Self.second)
        let arrivals = Arrivals()
        let child = Promise<Child>()
        service.listen { _, _ in
            if arrivals.note() == 3 { try? await child.value().send(SIGKILL) }
            return nil
        }
        #expect(try await sandbox.siding(["sync", "items"]) { child.fulfil($0) }.status == 137)
        let other = try await sandbox.siding("sync", "more")
        #expect(other.status == 0, "\(other.everything)")
        #expect(arrivals.most(in: .seconds(2)) <= 3)
        #expect(arrivals.count >= 8)
        #expect(try await sandbox.differences(from: service.items, "more") == [])
        await service.origin.stop()
    }

    @Test func `a limit without room for long defers the rest, exit 75, and says why and until when`() async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(service, source: #"limits: [{ match: "/items/**", rate: 2/h }]"#)
        let put = try await sandbox.siding("sync", "-v")
        #expect(put.status == 75)
        #expect(put.error.contains("the limit '/items/**' (2/h) is used up until"))
        #expect(service.targets.count == 2)
        #expect(try await sandbox.siding("sync").status == 75)
        #expect(service.targets.count == 2)

        let entry = try #require(try await sandbox.siding("queue", "list", "--json").objects().first)
        #expect(entry["attempts"]?.int == 0)
        let shown = try await sandbox.siding("queue", "show", try #require(entry["id"]?.string))
        #expect(shown.output.contains("the limit '/items/**' (2/h) is used up until"))
        #expect(shown.output.contains("from 20"))

        let told = try await sandbox.siding("status", "--json").object()
        let limit = try #require(told["limits"]?.array?.first?.members)
        #expect(limit["source"]?.string == "shop" && limit["match"]?.string == "/items/**")
        #expect(limit["used"]?.int == 2 && limit["of"]?.int == 2 && limit["rate"]?.string == "2/h")
        #expect(limit["free_at"]?.string != nil)
        let screen = try await sandbox.siding("status")
        #expect(screen.output.contains("limit of shop '/items/**': 2 of 2/h used, full for another"))
        await service.origin.stop()
    }

    @Test func `a reported quota closes the limit for writes as for syncs`() async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(
            service,
            source:
                #"limits: [{ match: "**", remaining_header: X-RateLimit-Remaining, reset_header: X-RateLimit-Reset }]"#)
        service.listen { number, _ in
            guard number == 1 else { return nil }
            return .json(
                "{}", status: .created,
                headerFields: [
                    HTTPField.Name("X-RateLimit-Remaining")!: "0", HTTPField.Name("X-RateLimit-Reset")!: "3600",
                ])
        }
        #expect(try await sandbox.siding("send", "POST", "shop:/items", "-d", "{}").status == 0)
        let kept = try await sandbox.siding("send", "POST", "shop:/items", "-d", "{}")
        #expect(kept.status == 75)
        #expect(kept.error.contains("the origin has nothing left for '**' until"), "\(kept.everything)")
        #expect(try await sandbox.siding("sync").status == 75)
        #expect(service.targets.count == 1)
        await service.origin.stop()
    }

    @Test func `an operator's retry keeps to the limit, says so, and continues once the limit is raised`()
        async throws
    {
        let service = try await Service.start()
        let limit = #"limits: [{ match: "/items/**", rate: 2/h }]"#
        let sandbox = try Sandbox.with(service, source: limit)
        let first = try await sandbox.siding("sync", "-v")
        #expect(first.status == 75)
        let id = try #require(try await sandbox.siding("queue", "list", "--json").objects().first?["id"]?.string)
        let next = try await sandbox.siding("queue", "show", id)
        #expect(next.output.contains("earlier if the source's rate limits allow it"), "\(next.everything)")
        #expect(try await sandbox.siding("queue", "retry", id).status == 75)
        #expect(service.targets.count == 2)
        try sandbox.config(service.config(source: limit.replacing("2/h", with: "9/h")))
        #expect(try await sandbox.siding("queue", "retry", id).status == 0)
        #expect(service.targets.count == 4)
        await service.origin.stop()
    }

    @Test func `several parents at once under what the origin has left: what it does not count stops nothing`()
        async throws
    {
        let tracker = try await Tracker.start(issues: 12)
        let sandbox = try await Sandbox.with(tracker, each: "concurrency: 4")
        let config = try String(contentsOfFile: sandbox.file("siding.yaml"), encoding: .utf8)
        let (left, reset) = (HTTPField.Name("X-RateLimit-Remaining")!, HTTPField.Name("X-RateLimit-Reset")!)
        let limit = #"{ match: "**", remaining_header: X-RateLimit-Remaining, reset_header: X-RateLimit-Reset }"#
        try sandbox.config(
            config.replacing("retry: { inline: 0 }", with: "retry: { inline: 0 }, limits: [\(limit)]"))
        // It counts what it sends, and no 304.
        let count = Mutex(18)
        tracker.listen { number, target in
            let isNew = number <= 12
            let now = count.withLock { count in
                count -= isNew ? 1 : 0
                return count
            }
            let id = target.split(separator: "/")[1]
            let fields: HTTPFields = [left: String(now), reset: "3600", .eTag: "\"\(id)\""]
            return isNew
                ? .json(#"[{"id":"c-\#(id)"}]"#, headerFields: fields)
                : OriginResponse(status: .notModified, headerFields: fields)
        }
        let first = try await sandbox.siding("sync", "--json")
        #expect(first.status == 0, "\(first.everything)")
        let second = try await sandbox.siding("sync", "comments", "--json")
        #expect(second.status == 0, "\(second.everything)")
        let report = try second.object()
        #expect(report["outcome"]?.string == "not_modified" && report["requests"]?.int == 12)
        #expect(tracker.takeAsked().count == 24)
        try await tracker.origin.stop()
    }

    @Test func `requests for tokens are not requests of the source`() async throws {
        let door = Door()
        let service = try await Service.start(behind: door)
        let limits = #", limits: [{ match: "**", rate: 2/h }]"#
        let sandbox = try Sandbox.with(
            service,
            source: service.oauth("oauth2_client", "client_id: my app, client_secret: { file: secret }") + limits)
        try sandbox.write(door.state.withLock(\.secret) + "\n", to: "secret")
        let outcome = try await sandbox.siding("sync")
        #expect(outcome.status == 0, "\(outcome.everything)")
        #expect(door.given == 1)
        let limit = try await sandbox.siding("status", "--json").object()["limits"]?.array?.first?.members
        #expect(limit?["used"]?.int == 2)
        await service.origin.stop()
    }
}
