// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingJSON
import SidingTesting
import Testing

@testable import Siding

@Suite struct SyncPlanTests {
    private let resource: AnyResource
    private let origin = ScriptedOrigin([
        "/posts": ScriptedOrigin.page("[1,2]", next: "/posts?page=2", etag: "\"one\""),
        "/posts?page=2": ScriptedOrigin.page("[3]", etag: "\"two\""),
    ])

    init() throws {
        resource = AnyResource("posts", from: try Source(baseURL: "https://example.com"), at: "/posts", key: "id")
    }

    private func engine(_ store: Store) -> SyncEngine {
        SyncEngine(store: store, transports: origin, environment: RuntimeEnvironment(connectivity: TestConnectivity()))
    }

    @Test func `before the first sync the plan is the first page, and no store is needed`() async throws {
        let plan = try await SyncPlan.make(for: resource, in: nil)
        #expect(plan.url == "https://example.com/posts")
        #expect(plan.method == "GET")
        #expect(plan.conditions.isEmpty)
        #expect(plan.reason.contains("first sync"))
    }

    @Test func `after a whole listing the plan is a conditional first page, and nothing is sent to find out`()
        async throws
    {
        let store = try await Store.temporary()
        _ = try await engine(store).sync(resource)
        _ = origin.takeRequests()
        let plan = try await SyncPlan.make(for: resource, in: store)
        #expect(plan.conditions == ["If-None-Match: \"one\""])
        #expect(plan.reason == "new listing from the first page")
        #expect(origin.waiting == 0)
    }

    @Test func `a full listing has no conditions`() async throws {
        let store = try await Store.temporary()
        _ = try await engine(store).sync(resource)
        let plan = try await SyncPlan.make(for: resource, options: SyncOptions(isFull: true), in: store)
        #expect(plan.conditions.isEmpty)
    }

    @Test func `a retained page comes next, and the plan names its entry`() async throws {
        let store = try await Store.temporary()
        origin.set("/posts?page=2", .failure(Failure(.cantConnectToHost(.refused), phase: .notSent)))
        let report = try await engine(store).sync(resource)
        let plan = try await SyncPlan.make(for: resource, in: store)
        #expect(plan.url == "https://example.com/posts?page=2")
        #expect(plan.reason.contains(try #require(report.result.entry).prefix(8)))
    }

    @Test func `a changed definition is reported, with its changes`() async throws {
        let store = try await Store.temporary()
        _ = try await engine(store).sync(resource)
        var changed = resource
        changed.key = [JSONPath(member: "uuid")]
        let plan = try await SyncPlan.make(for: changed, in: store)
        #expect(plan.reason.contains("(key)"))
        #expect(plan.conditions.isEmpty)
    }
}
