// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingSynchronization
import SidingTesting
import Testing

@Suite struct RequestBudgetTests {
    /// Gives a place or refuses, in order, and keeps what it was asked and told.
    private final class ScriptedBudget: RequestBudget {
        private let state: Mutex<(refusals: [BudgetSpent?], events: [String])>

        /// - Parameter refusals: nil gives a place, as does what is beyond the last.
        init(_ refusals: BudgetSpent?...) { state = Mutex((refusals.reversed(), [])) }

        var events: [String] { state.withLock { $0.events } }

        func take(_ url: HTTPURL) async throws(Failure) -> BudgetPlace {
            let refusal = state.withLock { state in
                let refusal = state.refusals.popLast() ?? nil
                state.events.append("\(refusal == nil ? "take" : "refuse") \(url.path)")
                return refusal
            }
            if let refusal { throw refusal.failure }
            return BudgetPlace(slots: [.init(id: Int64(events.count), rule: 0)])
        }

        func end(_ place: BudgetPlace, _ ending: BudgetEnding) async {
            state.withLock { state in
                switch ending {
                case .unsent: state.events.append("unsent")
                case .answered(let fields): state.events.append("answered \(fields[.date] ?? "")")
                }
            }
        }

        func spend(_ bytes: Int, at url: HTTPURL) async {
            state.withLock { $0.events.append("spend \(bytes) \(url.path)") }
        }

        static func spent(for seconds: Double) -> BudgetSpent {
            BudgetSpent(until: 1_000 + seconds, isOfAll: true, "used up")
        }
    }

    /// Follows redirects as a script says.
    private struct Redirecting: Transport {
        let path: String

        func send(_ request: HTTPRequest, body: EncodedBody) async throws(Failure) -> Reply {
            throw Failure(.internalFault, phase: .notSent, detail: "the hook was not handed down")
        }

        func send(
            _ request: HTTPRequest, body: EncodedBody,
            admitting admit: @Sendable (HTTPURL) async throws(Failure) -> Void
        ) async throws(Failure) -> Reply {
            let url = try request.checkedURL().resolve(path)
            try await admit(url)
            return Reply(response: HTTPResponse(status: .ok), body: .bytes([]), url: url)
        }
    }

    private struct Provider: MetadataProvider {
        let counter: Counter
        func metadata(_ context: ChainContext) async throws(Failure) -> HTTPFields {
            counter.next()
            return [:]
        }
    }

    private let clock = ManualClock()
    private let asked = Counter()

    private func chain(
        _ budget: ScriptedBudget, _ transport: any Transport, retries: Int = 0
    ) -> any Node<HTTPURL, LoadedResponse> {
        var assembly = ChainAssembly(
            transport: transport, connectivity: TestConnectivity(),
            retry: RetryPolicy(retries: retries, backoff: Backoff(base: .zero)), jitter: .none, clock: clock,
            wallClock: WallClock { Timestamp(secondsSince1970: 1_000) })
        (assembly.providers, assembly.deadline) = ([Provider(counter: asked)], .seconds(5))
        assembly.budget = BudgetUse(budget, maximumWait: .seconds(90))
        return assembly.chain(
            from: RequestRouterNode<HTTPURL> { RequestDraft(route: RequestRoute(.get, $0)) },
            to: ResponseDataLoaderNode(limit: 1_000))
    }

    private func url() throws -> HTTPURL { try HTTPURL("http://a.test/x") }

    @Test func `a request waits for its place outside of its deadline, and reads its credentials after that`()
        async throws
    {
        let budget = ScriptedBudget(ScriptedBudget.spent(for: 60))
        let transport = ScriptedTransport([.text("1", headerFields: [.date: "now"])])
        let (chain, url) = (chain(budget, transport), try url())
        async let answer = chain.process(url, .test)
        await clock.sleepers(1, waiting: .seconds(60))
        #expect(clock.waits == [.seconds(60)])
        #expect(transport.requests.isEmpty)
        clock.advance(by: .seconds(60))
        #expect(try await answer.bytes == [UInt8(ascii: "1")])
        #expect(budget.events == ["refuse /x", "take /x", "answered now"])
        #expect(asked.count == 2)
    }

    @Test func `a place that would come too late is not waited for`() async throws {
        let budget = ScriptedBudget(ScriptedBudget.spent(for: 90.5))
        let transport = ScriptedTransport([])
        let failure = await chain(budget, transport).failure(try url())
        #expect(failure?.reason == .waitingForOrigin && failure?.phase == .notSent)
        #expect(failure?.underlying as? BudgetSpent == ScriptedBudget.spent(for: 90.5))
        #expect(failure?.detail == "used up")
        #expect(transport.requests.isEmpty)
    }

    @Test func `waits add up`() async throws {
        let budget = ScriptedBudget(ScriptedBudget.spent(for: 60), ScriptedBudget.spent(for: 31))
        let (chain, url) = (chain(budget, ScriptedTransport([])), try url())
        async let failure = chain.failure(url)
        await clock.sleepers(1, waiting: .seconds(60))
        clock.advance(by: .seconds(60))
        #expect(await failure?.reason == .waitingForOrigin)
    }

    @Test func `a call that is cancelled while it waits ends at once, unsent`() async throws {
        let (chain, url) = (chain(ScriptedBudget(ScriptedBudget.spent(for: 60)), ScriptedTransport([])), try url())
        let call = Task { await chain.failure(url) }
        await clock.sleepers(1, waiting: .seconds(60))
        call.cancel()
        let failure = await call.value
        #expect(failure?.reason == .cancelled && failure?.phase == .notSent)
    }

    @Test func `each try takes a place of its own`() async throws {
        let budget = ScriptedBudget()
        let transport = ScriptedTransport([
            .status(.badGateway), .failure(Failure(.connectionLost, phase: .maybeSent)), .text("1"),
        ])
        let answer = try await chain(budget, transport, retries: 2).process(try url(), .test)
        #expect(answer.response.status == .ok)
        // Nobody knows whether the second was counted: its place is not given back.
        #expect(budget.events == ["take /x", "answered ", "take /x", "take /x", "answered "])
    }

    @Test(arguments: [
        (Failure(.cantConnectToHost(.refused), phase: .notSent), ["take /x", "unsent"]),
        (Failure(.timeout(.response), phase: .maybeSent), ["take /x"]),
        (Failure(.redirectRefused, phase: .answered), ["take /x", "answered "]),
    ])
    func `a place is given back only where nothing was sent`(_ failure: Failure, _ events: [String]) async throws {
        let budget = ScriptedBudget()
        #expect(await chain(budget, ScriptedTransport([.failure(failure)])).failure(try url())?.phase == failure.phase)
        #expect(budget.events == events)
    }

    @Test func `a redirect takes a place of its own, and waits for it where it is`() async throws {
        let budget = ScriptedBudget(nil, ScriptedBudget.spent(for: 2))
        let (chain, url) = (chain(budget, Redirecting(path: "/y")), try url())
        async let answer = chain.process(url, .test)
        await clock.sleepers(1, waiting: .seconds(2))
        clock.advance(by: .seconds(2))
        #expect(try await answer.url.path == "/y")
        #expect(budget.events == ["take /x", "answered ", "refuse /y", "take /y", "answered "])
    }

    @Test func `a redirect to another origin takes none`() async throws {
        let budget = ScriptedBudget()
        _ = try await chain(budget, Redirecting(path: "https://b.test/y")).process(try url(), .test)
        #expect(budget.events == ["take /x", "answered "])
    }

    @Test(arguments: [
        (CarryingTransport.Answer(chunks: [10, 20]), 130), (.init(status: 304), 100), (.init(status: 204), 100),
        (.init(status: 500, chunks: [70]), 170),
        (.init(chunks: [10], ending: Failure(.truncated, phase: .answered)), 110),
        (.init(status: nil, ending: Failure(.timeout(.response), phase: .maybeSent)), 100),
        // Larger than the limit of the chain: the rest is not read.
        (.init(chunks: [600, 600, 600]), 1_300),
    ])
    func `the bytes of an attempt are recorded once, at any end`(
        _ answer: CarryingTransport.Answer, _ bytes: Int
    ) async throws {
        let budget = ScriptedBudget()
        _ = try? await chain(budget, CarryingTransport([answer])).process(try url(), .test)
        #expect(budget.events.filter { $0.hasPrefix("spend") } == ["spend \(bytes) /x"])
        #expect(budget.events.last == "spend \(bytes) /x")
    }

    @Test func `each try records bytes of its own, and one that found no place none`() async throws {
        let budget = ScriptedBudget(nil, ScriptedBudget.spent(for: 100))
        let lost = CarryingTransport.Answer(head: 30, status: nil, ending: Failure(.connectionLost, phase: .maybeSent))
        #expect(
            await chain(budget, CarryingTransport([lost]), retries: 1).failure(try url())?.reason == .waitingForOrigin)
        #expect(budget.events == ["take /x", "spend 30 /x", "refuse /x"])
    }

    @Test func `the place is taken beneath retries and credentials, the waiting is around the deadline`() {
        let steps = "\(chain(ScriptedBudget(), ScriptedTransport([]), retries: 1).steps)"
        #expect(steps.contains("RetryNode(BudgetWaitNode(DeadlineNode("))
    }
}
