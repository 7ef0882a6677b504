// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingHTTP
import SidingNodes
import SidingOrigin
import SidingTesting
import Testing

/// What middlewares do to requests, as the origin sees them.
@Suite(.timeLimit(.minutes(5))) struct BuilderMiddlewareTests {
    typealias Answer = BuilderSettingsTests.Answer

    /// Sets how often a request is tried again, by a node of the request half.
    struct RetriesNode: Node {
        let retries: Int

        func process(_ input: RequestDraft, _ context: ChainContext) async throws(Failure) -> RequestDraft {
            input.with(\.retries, retries)
        }
    }

    /// Adds `text` to the field Via, so that the origin sees who ran.
    static func mark(_ text: String) -> @Sendable (RequestDraft, ChainContext) -> RequestDraft {
        { draft, _ in draft.with(\.headerFields[.via], (draft.headerFields[.via] ?? "") + text) }
    }

    @Test func `a middleware sets how often its request is tried again`() async throws {
        try await BuilderSettingsTests.building { (origin, builder) async throws in
            let middlewares = Middlewares().transform("retries") { draft, _ in draft.with(\.retries, 2) }
            let chain: Chain<Void, Answer> = builder.with(\.assembly.middlewares, middlewares).route(.get, "/p").build()
            origin.inject(.status(503), times: 2)
            #expect(try await chain() == Answer(answer: 42))
            #expect(origin.requests.count == 3)
            origin.inject(.status(503), times: 3)
            #expect(await chain.outcome().failure?.status == 503)
            #expect(origin.requests.count == 6)
        }
    }

    @Test func `a request's own retries win over the policy, and a POST is still sent once`() async throws {
        try await BuilderSettingsTests.building { (origin, builder) async throws in
            origin.inject(.status(503), times: nil)
            let policy = builder.with(\.assembly.retry.retries, 2)
            for (retries, method, count) in [
                (0, HTTPRequest.Method.get, 1), (1, .get, 2), (2, .post, 1),
            ] {
                origin.forgetRequests()
                let chain: Chain<Void, Void> = policy.route(method, "/p").add(node: RetriesNode(retries: retries))
                    .build()
                #expect(await chain.outcome().failure?.status == 503)
                #expect(origin.requests.count == count, "\(method) \(retries)")
            }
            origin.forgetRequests()
            let plain: Chain<Void, Void> = builder.route(.get, "/p").build()
            #expect(await plain.outcome().failure?.status == 503)
            #expect(origin.requests.count == 1)
            #expect(!plain.description.contains("RetryNode"))
        }
    }

    @Test func `the filters of chain, request and call must all let a middleware through`() async throws {
        try await BuilderSettingsTests.building { (origin, builder) async throws in
            let middlewares = ["a", "b", "c", "d"].reduce(Middlewares()) { $0.transform($1, Self.mark($1)) }
            let all = builder.with(\.assembly.middlewares, middlewares).route(.get, "/p")
            let chosen = all.filter(middlewares: MiddlewareFilter(including: ["a", "b", "c"]))
                .filter(middlewares: MiddlewareFilter(excluding: ["a"]))
            let filter = MiddlewareFilter(excluding: ["b"])
            try await all.build(Void.self, to: Void.self)()
            try await chosen.build(Void.self, to: Void.self)()
            try await chosen.build(Void.self, to: Void.self)(ChainContext().with(\.middlewareFilter, filter))
            try await all.build(Void.self, to: Void.self)(ChainContext().with(\.middlewareFilter, .off))
            #expect(origin.requests.map { $0.headerFields[.via] } == ["abcd", "bc", "c", nil])
        }
    }

    @Test func `a transform may choose the middlewares of each attempt`() async throws {
        try await BuilderSettingsTests.building { (origin, builder) async throws in
            let middlewares = Middlewares()
                .transform("choose") { draft, _ in
                    draft.with(\.middlewareFilter, MiddlewareFilter(excluding: ["a"])).with(\.retries, 1)
                }
                .transform("a", runs: .oncePerAttempt, Self.mark("a"))
                .transform("b", runs: .oncePerAttempt, Self.mark("b"))
            let chain: Chain<Void, Void> = builder.with(\.assembly.middlewares, middlewares).route(.get, "/p").build()
            origin.inject(.status(503))
            try await chain()
            #expect(origin.requests.map { $0.headerFields[.via] } == ["b", "b"])
        }
    }
}
