// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingHTTP
import SidingNodes
import SidingOrigin
import SidingSynchronization
import SidingTesting
import Testing

/// Conditional requests and cache policies, with an origin that answers 304 to the tag of its present version.
@Suite(.timeLimit(.minutes(5))) struct VocabularyCacheTests {
    typealias Answer = BuilderSettingsTests.Answer

    /// A resource whose answer is the number of its version. It varies on the language.
    private final class Versions: Sendable {
        private struct State {
            var version = 1
            var statuses: [Int] = []
        }

        static let date = "Tue, 14 Nov 2023 00:00:00 GMT"

        private let state = Mutex(State())

        /// The statuses of the answers so far.
        var statuses: [Int] { state.withLock { $0.statuses } }

        func change() { state.withLock { $0.version += 1 } }

        func answer(_ request: OriginRequest) -> OriginResponse {
            let version = state.withLock { $0.version }
            let fields: HTTPFields = [.eTag: "\"\(version)\"", .lastModified: Self.date, .vary: "Accept-Language"]
            let isKnown = request.headerFields[.ifNoneMatch] == fields[.eTag]
            let answer =
                isKnown
                ? OriginResponse(status: .notModified, headerFields: fields)
                : OriginResponse.json(#"{"answer":\#(version)}"#, headerFields: fields)
            state.withLock { $0.statuses.append(answer.status.code) }
            return answer
        }
    }

    /// Runs `body` with an origin of `versions`, and a builder with a cache, both at `time`.
    private static func caching(
        _ versions: Versions, at time: ManualWallClock = ManualWallClock(),
        _ body: (Origin, URLChainBuilder) async throws -> Void
    ) async throws {
        let handler: Origin.Handler = { versions.answer($0) }
        try await BuilderSettingsTests.building(handler: handler) { (origin, builder) async throws in
            let cached = builder.with(\.assembly.wallClock, time.clock)
                .cache(InMemoryResponseCache(), keying: CacheKeying(account: "ann"))
            try await body(origin, cached.route(.get, "/notes"))
        }
    }

    /// The answers of one call, and the failure that ended them.
    private static func answers(
        of chain: Chain<Void, ResponseSequence<Answer>>
    ) async -> (answers: [ChainResponse<Answer>], failure: Failure?) {
        var answers: [ChainResponse<Answer>] = []
        do throws(Failure) {
            var iterator = try await chain().makeAsyncIterator()
            while let answer = try await iterator.next() { answers.append(answer) }
            return (answers, nil)
        } catch {
            return (answers, error)
        }
    }

    /// The tags of the requests so far; nil for each that was sent without a condition.
    private static func tags(_ origin: Origin) -> [String?] {
        origin.requests.map { $0.headerFields[.ifNoneMatch] }
    }

    @Test func `a stored answer is confirmed by a 304, until the origin has a newer one`() async throws {
        let (versions, time) = (Versions(), ManualWallClock())
        try await Self.caching(versions, at: time) { (origin, builder) async throws in
            let chain: Chain<Void, LoadedResponse> = builder.buildDataLoading()
            let first = try await chain()
            #expect(first.source == .server)
            #expect(first.bytes == Array(#"{"answer":1}"#.utf8))
            time.advance(by: .seconds(60))
            let confirmed = try await chain()
            #expect(confirmed.response.status == .ok)
            #expect(confirmed.bytes == first.bytes)
            #expect(confirmed.source == .cache(age: .zero, storedAt: 1_700_000_060, isFresh: false))
            versions.change()
            let newer = try await chain()
            #expect(newer.source == .server)
            #expect(newer.bytes == Array(#"{"answer":2}"#.utf8))
            #expect(versions.statuses == [200, 304, 200])
            #expect(Self.tags(origin) == [nil, "\"1\"", "\"1\""])
            let dates = origin.requests.map { $0.headerFields[.ifModifiedSince] }
            #expect(dates == [nil, Versions.date, Versions.date])
        }
    }

    @Test func `a stored answer belongs to its URL, in any order of the query, and to its language`() async throws {
        let versions = Versions()
        try await Self.caching(versions) { (origin, builder) async throws in
            let targets = ["/notes?b=2&a=1", "/notes?a=1&b=2", "/notes?a=1&b=3", "/notes?a=1&b=2"]
            for (target, language) in zip(targets, ["fi", "fi", "fi", "pl"]) {
                let chain: Chain<Void, Answer> = builder.route(.get, target).set(metadata: [.acceptLanguage: language])
                    .build()
                #expect(try await chain() == Answer(answer: 1))
            }
            #expect(origin.requests.map(\.target) == targets)
            #expect(Self.tags(origin) == [nil, "\"1\"", nil, nil])
            #expect(versions.statuses == [200, 304, 200, 200])
        }
    }

    @Test func `a 304 to an answer that was evicted meanwhile is followed by one request without conditions`()
        async throws
    {
        let (versions, responses) = (Versions(), InMemoryResponseCache())
        // The first and the third request are answered. The others get a 304, the last of them without a condition.
        let handler: Origin.Handler = { request in
            guard request.order != 1, request.order != 3 else { return versions.answer(request) }
            responses.evict(to: 0)
            return OriginResponse(status: .notModified)
        }
        try await BuilderSettingsTests.building(handler: handler) { (origin, builder) async throws in
            let chain: Chain<Void, LoadedResponse> = builder.cache(responses, keying: CacheKeying(account: "ann"))
                .route(.get, "/notes").buildDataLoading()
            for _ in 1...2 {
                let answer = try await chain()
                #expect(answer.source == .server)
                #expect(answer.bytes == Array(#"{"answer":1}"#.utf8))
            }
            #expect(Self.tags(origin) == [nil, "\"1\"", nil])
            let failure = try #require(await chain.outcome().failure)
            #expect(failure.reason == .protocolViolation && failure.phase == .answered)
            #expect(failure.node == "ETagNode")
            #expect(Self.tags(origin) == [nil, "\"1\"", nil, "\"1\"", nil])
        }
    }

    @Test func `an origin that cannot answer is replaced by the stored answer, with its age and the failure`()
        async throws
    {
        let time = ManualWallClock()
        try await Self.caching(Versions(), at: time) { (origin, builder) async throws in
            let chain: Chain<Void, ChainResponse<Answer>> = try builder.buildCached(.serverIfFailsCache)
            // The second is confirmed by a 304.
            for _ in 1...2 {
                let answer = try await chain()
                #expect(answer.body == Answer(answer: 1))
                #expect(answer.source == .server)
                #expect(answer.failure == nil)
            }
            time.advance(by: .seconds(90))
            // Each happens once, in this order. After the last one, connections are refused.
            for fault in [OriginFault.status(503), .closeBeforeHead, .refuse] { origin.inject(fault) }
            var failures: [Failure] = []
            for _ in 1...4 {
                let answer = try await chain()
                #expect(answer.body == Answer(answer: 1))
                #expect(answer.source == .cache(age: .seconds(90), storedAt: 1_700_000_000, isFresh: false))
                failures.append(try #require(answer.failure))
            }
            #expect(failures[0].status == 503)
            #expect(failures[1].reason == .connectionLost)
            #expect(failures[2].reason == .connectionLost)
            #expect(failures[3].reason == .cantConnectToHost(.refused))
            #expect(failures.map(\.phase) == [.answered, .maybeSent, .maybeSent, .notSent])
            #expect(Self.tags(origin) == [nil, "\"1\"", "\"1\"", "\"1\"", "\"1\""])
        }
    }

    @Test func `the fallback hides no answer of the origin, and without a stored answer no failure`() async throws {
        try await Self.caching(Versions()) { (origin, builder) async throws in
            let chain: Chain<Void, ChainResponse<Answer>> = try builder.buildCached(.serverIfFailsCache)
            origin.inject(.status(503))
            #expect(await chain.outcome().failure?.status == 503)
            #expect(try await chain().source == .server)
            origin.inject(.status(403))
            #expect(await chain.outcome().failure?.status == 403)
            #expect(Self.tags(origin) == [nil, nil, "\"1\""])
        }
    }

    @Test func `cacheOnly sends nothing, and serverOnly never answers from the cache`() async throws {
        let time = ManualWallClock()
        try await Self.caching(Versions(), at: time) { (origin, builder) async throws in
            let stored: Chain<Void, ChainResponse<Answer>> = try builder.buildCached(.cacheOnly)
            let asked: Chain<Void, ChainResponse<Answer>> = try builder.buildCached(.serverOnly)
            let missing = try #require(await stored.outcome().failure)
            #expect(missing.reason == .notCached && missing.phase == .notSent)
            #expect(origin.requests.isEmpty)
            #expect(try await asked().source == .server)
            time.advance(by: .seconds(5))
            let answer = try await stored()
            #expect(answer.body == Answer(answer: 1))
            #expect(answer.source == .cache(age: .seconds(5), storedAt: 1_700_000_000, isFresh: false))
            #expect(origin.requests.count == 1)
            origin.inject(.status(503))
            #expect(await asked.outcome().failure?.status == 503)
            #expect(origin.requests.count == 2)
        }
    }

    @Test func `cacheThenServer gives the stored answer without a request, then a newer one of the origin`()
        async throws
    {
        let (versions, time) = (Versions(), ManualWallClock())
        try await Self.caching(versions, at: time) { (origin, builder) async throws in
            let chain: Chain<Void, ResponseSequence<Answer>> = try builder.buildCacheThenServer()
            let first = await Self.answers(of: chain)
            #expect(first.answers.map(\.body) == [Answer(answer: 1)])
            #expect(first.answers.map(\.source) == [.server])
            #expect(first.failure == nil)
            versions.change()
            time.advance(by: .seconds(5))
            var answers = try await chain().makeAsyncIterator()
            let stored = try await answers.next()
            #expect(stored?.body == Answer(answer: 1))
            #expect(stored?.source == .cache(age: .seconds(5), storedAt: 1_700_000_000, isFresh: false))
            #expect(origin.requests.count == 1)
            let newer = try await answers.next()
            #expect(newer?.body == Answer(answer: 2))
            #expect(newer?.source == .server)
            #expect(try await answers.next() == nil)
            #expect(Self.tags(origin) == [nil, "\"1\""])
        }
    }

    @Test func `cacheThenServer leaves an equal second answer out, and reports the failure of the origin`()
        async throws
    {
        let (versions, time) = (Versions(), ManualWallClock())
        try await Self.caching(versions, at: time) { (origin, builder) async throws in
            let chain: Chain<Void, ResponseSequence<Answer>> = try builder.buildCacheThenServer()
            #expect(await Self.answers(of: chain).answers.map(\.source) == [.server])
            let stored = ResponseSource.cache(age: .zero, storedAt: 1_700_000_000, isFresh: false)
            let confirmed = await Self.answers(of: chain)
            #expect(confirmed.answers.map(\.source) == [stored])
            #expect(confirmed.failure == nil)
            #expect(versions.statuses == [200, 304])
            origin.inject(.content(type: "application/json", body: Array(#"{"answer":1}"#.utf8)))
            let equal = await Self.answers(of: chain)
            #expect(equal.answers.map(\.source) == [stored])
            #expect(equal.failure == nil)
            origin.inject(.status(503))
            let failed = await Self.answers(of: chain)
            #expect(failed.answers.map(\.body) == [Answer(answer: 1)])
            #expect(failed.answers.map(\.source) == [stored])
            #expect(failed.failure?.status == 503)
            #expect(origin.requests.count == 4)
        }
    }
}
