// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Logging
import SidingChain
import SidingNodes
import SidingTesting
import Testing
import TestSupport

@Suite struct MiddlewareNodeTests {
    struct Own: Error {}

    let notes = Notes<String>()

    static func draft(_ path: String = "/") throws -> RequestDraft {
        RequestDraft(route: RequestRoute(.get, try HTTPURL("http://a\(path)")))
    }

    /// Adds `text` to the header field Via, so that the order shows.
    static func mark(_ text: String) -> @Sendable (RequestDraft, ChainContext) -> RequestDraft {
        { draft, _ in draft.with(\.headerFields[.via], (draft.headerFields[.via] ?? "") + text) }
    }

    func note(_ text: String) -> @Sendable (RequestDraft, ChainContext) -> Void {
        { [notes] draft, _ in notes.append("\(text):\(draft.headerFields[.via] ?? "")") }
    }

    /// Ends in what the request's Via field holds.
    static let via = Step<RequestDraft, String> { draft, _ in draft.headerFields[.via] ?? "" }
    static let fails = Step<RequestDraft, String> { _, _ throws(Failure) in
        throw Failure(.contract, phase: .answered, detail: "x")
    }

    static func node(
        _ middlewares: Middlewares, around wrapped: Step<RequestDraft, String> = via
    ) -> MiddlewareNode<Step<RequestDraft, String>> {
        MiddlewareNode(wrapped, middlewares: middlewares, running: .oncePerRequest)
    }

    @Test func `transforms run in order, then side effects, which see the transformed request`() async throws {
        let middlewares = Middlewares()
            .sideEffect("s1", note("s1")).transform("b", Self.mark("b")).sideEffect("s2", note("s2"))
            .transform("a") { draft, context in
                await Task.yield()
                return Self.mark("a")(draft, context)
            }
        #expect(try await Self.node(middlewares).process(Self.draft(), .test) == "ba")
        #expect(notes.all == ["s1:ba", "s2:ba"])
        #expect(Self.node(middlewares).description == "MiddlewareNode(Step)")
    }

    @Test func `a key that is registered again takes the earlier one's place in the order`() async throws {
        let middlewares = Middlewares()
            .transform("a", Self.mark("a")).transform("b", Self.mark("b")).transform("a", Self.mark("A"))
            .sideEffect("a", note("one")).sideEffect("b", note("two")).sideEffect("a", note("ONE"))
        #expect(try await Self.node(middlewares).process(Self.draft(), .test) == "Ab")
        #expect(notes.all == ["ONE:Ab", "two:Ab"])
    }

    @Test func `a middleware that is registered again may change how often it runs`() async throws {
        let middlewares = Middlewares().transform("a", Self.mark("a")).transform(
            "a", runs: .oncePerAttempt, Self.mark("A"))
        #expect(try await Self.node(middlewares).process(Self.draft(), .test) == "")
    }

    @Test func `middlewares are a value, and a removed one no longer runs`() async throws {
        let one = Middlewares().transform("a", Self.mark("a")).sideEffect("a", note("a"))
        let two = one.transform("b", Self.mark("b"))
        #expect(try await Self.node(one).process(Self.draft(), .test) == "a")
        #expect(try await Self.node(two.removing("a")).process(Self.draft(), .test) == "b")
        #expect(notes.all == ["a:a"])
    }

    @Test func `a transform that throws fails the request before it is sent`() async throws {
        let middlewares = Middlewares().transform("ok", Self.mark("a"))
            .transform("broken") { _, _ in throw Own() }
            .transform("never") { [notes] draft, _ in
                notes.append("never")
                return draft
            }
            .sideEffect("never", note("never"))
        let failure = try #require(await Self.node(middlewares).failure(Self.draft("/?token=canary")))
        #expect(failure.reason == .userCode)
        #expect(failure.phase == .notSent)
        #expect(failure.underlying is Own)
        #expect(failure.detail == "in the middleware 'broken': Own()")
        #expect(failure.node == "MiddlewareNode")
        #expect(failure.method == "GET")
        #expect(failure.url == "http://a/?token=…")
        #expect(notes.all.isEmpty)
    }

    @Test func `a side effect cannot fail the request: its error is logged`() async throws {
        let log = RecordedLog()
        let context = ChainContext(requestID: "r1", logger: log.logger)
        let middlewares = Middlewares().sideEffect("broken") { _, _ in throw Own() }.sideEffect("next", note("next"))
        #expect(try await Self.node(middlewares).process(Self.draft(), context) == "")
        #expect(notes.all == ["next:"])
        #expect(log.lines.count == 1)
        #expect(log.lines.first?.level == .warning)
        #expect(log.lines.first?.message == "middleware failed; the request continues without it")
        #expect(
            log.lines.first?.metadata == [
                "request": "r1", "node": "MiddlewareNode", "middleware": "broken", "error": "Own()",
            ])
        _ = try await Self.node(middlewares).process(
            Self.draft(), context.with(\.logExclusions, ["MiddlewareNode"]))
        #expect(log.lines.count == 1)
    }

    @Test func `failure transforms see the failure and the request in order, and give the one that travels on`()
        async throws
    {
        let middlewares = Middlewares().transform("a", Self.mark("a"))
            .onFailure("first") { failure, draft, _ in
                failure.with(\.detail, (failure.detail ?? "") + (draft.headerFields[.via] ?? ""))
            }
            .onFailure("second") { failure, _, _ in failure.with(\.detail, (failure.detail ?? "") + "2") }
            .onFailure("first") { failure, draft, _ in
                failure.with(\.detail, (failure.detail ?? "") + "1" + (draft.headerFields[.via] ?? ""))
            }
        let failure = await Self.node(middlewares, around: Self.fails).failure(try Self.draft())
        #expect(failure?.detail == "x1a2")
        #expect(failure?.reason == .contract)
        #expect(try await Self.node(middlewares).process(Self.draft(), .test) == "a")
    }

    @Test func `failure transforms see a transform's failure too`() async throws {
        let middlewares = Middlewares().transform("broken") { _, _ in throw Own() }
            .onFailure("see") { [notes] failure, _, _ in
                notes.append(failure.reason.name)
                return failure
            }
        #expect(await Self.node(middlewares).failure(try Self.draft())?.reason == .userCode)
        #expect(notes.all == ["userCode"])
    }

    @Test func `a middleware runs where it is chosen and not refused`() async throws {
        let middlewares = ["a", "b", "c"].reduce(Middlewares()) { all, name in
            return all.transform(name, Self.mark(name)).sideEffect(name, note(name))
                .onFailure(name) { failure, _, _ in failure.with(\.detail, (failure.detail ?? "") + name) }
        }
        let filter = MiddlewareFilter(including: ["a", "b"]).and(MiddlewareFilter(excluding: ["b"]))
        let context = ChainContext.test.with(\.middlewareFilter, filter)
        #expect(try await Self.node(middlewares).process(Self.draft(), context) == "a")
        #expect(notes.all == ["a:a"])
        #expect(await Self.node(middlewares, around: Self.fails).failure(try Self.draft(), context)?.detail == "xa")
    }

    @Test func `filters from several places must all let a middleware through`() {
        let one = MiddlewareFilter(including: ["a", "b"], excluding: ["d"])
        let two = MiddlewareFilter(including: ["b", "c"], excluding: ["e"])
        #expect(one.and(two) == MiddlewareFilter(including: ["b"], excluding: ["d", "e"]))
        #expect(one.and(.all) == one)
        #expect(MiddlewareFilter.all.and(one) == one)
        #expect(!one.and(.off).allows("a"))
        #expect(MiddlewareFilter.all.allows("a"))
        #expect(!MiddlewareFilter(including: ["a"], excluding: ["a"]).allows("a"))
    }

    @Test func `a request that a middleware makes in its context does not lead back to the middlewares`() async throws {
        let transport = ScriptedTransport { _ in .text("{}") }
        let sending = RequestCreatorNode().then(RequestSenderNode(transport))
        let own = Notes<MiddlewareFilter>()
        let middlewares = Middlewares()
            .transform("token") { draft, context in
                own.append(context.middlewareFilter)
                // The same chain again: without the switch this would never end.
                _ = try await MiddlewareNode(
                    sending, middlewares: Middlewares().transform("token") { _, _ in throw Own() },
                    running: .oncePerRequest
                ).process(Self.draft("/token"), context)
                return draft
            }
            .sideEffect("audit") { _, context in own.append(context.middlewareFilter) }
            .onFailure("audit") { failure, _, context in
                own.append(context.middlewareFilter)
                return failure
            }
        _ = try await MiddlewareNode(sending, middlewares: middlewares, running: .oncePerRequest).process(
            Self.draft(), .test)
        #expect(transport.requests.map(\.request.path) == ["/token", "/"])
        _ = await Self.node(middlewares, around: Self.fails).failure(try Self.draft())
        #expect(own.all == [.off, .off, .off, .off, .off])
    }

    @Test func `the switch turns every kind off`() async throws {
        let middlewares = Middlewares().transform("a", Self.mark("a")).sideEffect("a", note("a"))
            .onFailure("a") { failure, _, _ in failure.with(\.detail, "seen") }
        let off = ChainContext.test.withoutMiddlewares
        #expect(try await Self.node(middlewares).process(Self.draft(), off) == "")
        #expect(await Self.node(middlewares, around: Self.fails).failure(try Self.draft(), off)?.detail == "x")
        #expect(notes.all.isEmpty)
    }

    @Test func `once per request or once per attempt is chosen at registration`() async throws {
        let answers = Counter()
        let flaky = Step<RequestDraft, String> { draft, _ throws(Failure) in
            guard answers.next() > 2 else { throw Failure(.connectionLost, phase: .maybeSent) }
            return draft.headerFields[.via] ?? ""
        }
        let middlewares = Middlewares()
            .transform("r", Self.mark("r")).transform("a", runs: .oncePerAttempt, Self.mark("a"))
            .sideEffect("r", note("request")).sideEffect("a", runs: .oncePerAttempt, note("attempt"))
            .onFailure("a", runs: .oncePerAttempt) { [notes] failure, _, _ in
                notes.append("failed attempt")
                return failure
            }
            .onFailure("r") { [notes] failure, _, _ in
                notes.append("failed request")
                return failure
            }
        let policy = RetryPolicy(retries: 2, backoff: Backoff(base: .zero))
        let chain = MiddlewareNode(
            MiddlewareNode(flaky, middlewares: middlewares, running: .oncePerAttempt).retry(policy),
            middlewares: middlewares, running: .oncePerRequest)
        #expect(try await chain.process(Self.draft(), .test) == "ra")
        #expect(
            notes.all == [
                "request:r", "attempt:ra", "failed attempt", "attempt:ra", "failed attempt", "attempt:ra",
            ])
        #expect(chain.description == "MiddlewareNode(RetryNode(MiddlewareNode(Step)))")
    }

    @Test func `cancelling a transform cancels the request`() async throws {
        let middlewares = Middlewares().transform("slow") { _, _ in throw CancellationError() }
        let failure = await Self.node(middlewares).failure(try Self.draft())
        #expect(failure?.reason == .cancelled)
        #expect(failure?.phase == .notSent)
    }
}
