// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingJSON
import SidingPaging
import SidingTesting
import Testing

@testable import Siding

/// Where a listing goes on, whatever the origin says of it.
@Suite struct NextPageTests {
    private let resource: AnyResource
    private let origin = ScriptedOrigin()
    private let link: HTTPField.Name

    init() throws {
        resource = AnyResource(
            "posts", from: try Source(baseURL: "https://example.com"), at: "/posts", key: "id", paging: .linkHeader)
        link = try #require(HTTPField.Name("Link"))
    }

    private func sync(_ store: Store) async throws -> SyncReport {
        try await SyncEngine(
            store: store, transports: origin, environment: RuntimeEnvironment(connectivity: TestConnectivity())
        ).sync(resource)
    }

    @Test func `a page that did not change may be followed by a new one, which its 304 names`() async throws {
        let store = try await Store.temporary()
        origin.set(
            "/posts", ScriptedOrigin.page("[1]", etag: "\"one\""),
            .status(.notModified, headerFields: [link: "</posts?page=2>; rel=\"next\""]))
        origin.set("/posts?page=2", ScriptedOrigin.page("[2]"))
        _ = try await sync(store)
        let second = try await sync(store)
        #expect(second.result.outcome == .saved)
        #expect(try await store.count(of: "posts").count == 2)
    }

    @Test func `a 304 that names no next page leads on as stored`() async throws {
        let store = try await Store.temporary()
        origin.set("/posts", ScriptedOrigin.page("[1]", next: "/posts?page=2", etag: "\"one\""), .status(.notModified))
        origin.set("/posts?page=2", ScriptedOrigin.page("[2]"))
        _ = try await sync(store)
        _ = origin.takeTargets()
        _ = try await sync(store)
        #expect(origin.takeTargets() == ["/posts", "/posts?page=2"])
    }

    @Test(arguments: [
        "file:///etc/passwd", "http://u:p@example.com/", "https://elsewhere.example/x", "http://[",
        "https://example.com:65536/",
    ])
    func `an unusable next address breaks the origin's contract, not the config's`(target: String) async throws {
        origin.set("/posts", ScriptedOrigin.page("[1]", next: target))
        let report = try await sync(try await Store.temporary())
        #expect(report.result.outcome == .failed)
        #expect(report.failure?.reason == .contract)
        #expect(report.result.error?.message.contains("next page") == true)
    }

    @Test func `a link to nothing ends the listing, which is complete`() async throws {
        origin.set("/posts", ScriptedOrigin.page("[1]", next: "/posts?page=2"))
        origin.set("/posts?page=2", ScriptedOrigin.page("[2]", next: ""))
        let report = try await sync(try await Store.temporary())
        #expect(report.result.outcome == .saved && report.warnings == [])
        #expect(origin.takeTargets() == ["/posts", "/posts?page=2"])
    }

    @Test func `a partial page that was not requested is not taken for the whole`() async throws {
        origin.set("/posts", .text("[{\"id\":1}]", status: .partialContent))
        let report = try await sync(try await Store.temporary())
        #expect(report.result.outcome == .partial && report.result.counters.inserted == 1)
        #expect(report.warnings.contains { $0.contains("206 Partial Content") }, "\(report.warnings)")
        origin.set("/posts", .text("[{\"id\":1},{\"i", status: .partialContent))
        #expect(try await sync(try await Store.temporary()).failure?.reason == .contract)
    }

    @Test func `a source that asked for a wait differs from one that answers 429`() async throws {
        let store = try await Store.temporary()
        origin.set("/posts", .status(.serviceUnavailable, headerFields: [.retryAfter: "500"]))
        _ = try await sync(store)
        let second = try await sync(store)
        #expect(second.result.outcome == .queued)
        #expect(second.result.error?.name == "waitingForOrigin")
        #expect(second.result.error?.status == nil)
        #expect(second.result.error?.message.contains("503") == true)
    }

    @Test(
        arguments: [
            (.status(.notFound), "restarted: the origin refused page 2 with 404"),
            (.text(#"{"error":"no such page"}"#), "restarted: page 2 no longer has a list of records: "),
        ] as [(ScriptedAnswer, String)])
    func `where the stored next page has ended the listing restarts, and the report has the run record's counts`(
        _ end: ScriptedAnswer, _ warning: String
    ) async throws {
        let store = try await Store.temporary()
        origin.set(
            "/posts", ScriptedOrigin.page("[1]", next: "/posts?page=2", etag: "\"one\""), .status(.notModified),
            ScriptedOrigin.page("[1,2]"))
        origin.set("/posts?page=2", ScriptedOrigin.page("[2]"), end)
        _ = try await sync(store)
        let second = try await sync(store)
        #expect(second.result.outcome == .saved)
        #expect(second.warnings.count == 1 && second.warnings.first?.hasPrefix(warning) == true)
        let recorded = try #require(try await store.runs(limit: 1).first?.resources.first)
        #expect(second.result.counters == recorded.counters)
        #expect(recorded.counters.pages == 2 && recorded.counters.requests == 3)
    }

    @Test func `one page that repeats its stored next page is enough to restart, regardless of the others`()
        async throws
    {
        let store = try await Store.temporary()
        origin.set(
            "/posts", ScriptedOrigin.page("[1]", next: "/posts?page=2"),
            ScriptedOrigin.page("[1,9]", next: "/posts?page=2"))
        origin.set(
            "/posts?page=2", ScriptedOrigin.page("[2]", next: "/posts?page=3", etag: "\"two\""), .status(.notModified),
            ScriptedOrigin.page("[2]"))
        origin.set("/posts?page=3", ScriptedOrigin.page("[3]"), .status(.notFound))
        _ = try await sync(store)
        let second = try await sync(store)
        #expect(second.result.outcome == .saved)
        #expect(second.warnings == ["restarted: the origin refused page 3 with 404"])
    }

    @Test(arguments: [400, 404, 410, 422])
    func `a cursor that the origin refuses is reported, with the remedy`(_ status: Int) async throws {
        let store = try await Store.temporary()
        var resource = resource
        resource.query = ["since": "{cursor}"]
        resource.cursor = IncrementalCursor(at: .record(.init(member: "id")), type: .integer)
        let engine = SyncEngine(
            store: store, transports: origin, environment: RuntimeEnvironment(connectivity: TestConnectivity()))
        origin.set("/posts", ScriptedOrigin.page("[1]"))
        origin.set("/posts?since=1", .status(.init(code: status)))
        _ = try await engine.sync(resource)
        let refused = try await engine.sync(resource)
        #expect(refused.result.error?.hint?.contains("siding state reset posts") == true)
        #expect(refused.result.error?.hint?.contains("do: reset_cursor") == true)
        origin.set("/posts?since=1", .status(.forbidden))
        #expect(try await engine.sync(resource).result.error?.hint?.contains("state reset") == false)
    }

    @Test func `a sync of nothing does not count as an interrupted run`() async throws {
        let store = try await Store.temporary()
        _ = try await SyncEngine(store: store, transports: origin).run([])
        #expect(try await store.runs(limit: 1).first?.outcome == .skipped)
    }
}
