// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingSynchronization
import SidingTesting
import Testing

@Suite struct TrafficLimitTests {
    /// A budget that allows everything, and notes what it is told.
    private final class Noting: RequestBudget {
        let notes = Notes<String>()

        func take(_ url: HTTPURL) async throws(Failure) -> BudgetPlace {
            notes.append("take")
            return BudgetPlace(slots: [.init(id: 1, rule: 0)])
        }

        func end(_ place: BudgetPlace, _ ending: BudgetEnding) async {
            notes.append("settle \(place.slots.count)")
        }

        func spend(_ bytes: Int, at url: HTTPURL) async { notes.append("spend \(bytes)") }
    }

    private func chain(
        _ budget: any RequestBudget, _ transport: any Transport, retries: Int = 0
    ) -> any Node<HTTPURL, LoadedResponse> {
        var assembly = ChainAssembly(
            transport: transport, connectivity: TestConnectivity(),
            retry: RetryPolicy(retries: retries, backoff: Backoff(base: .zero)), jitter: .none)
        assembly.budget = BudgetUse(budget, maximumWait: .seconds(90))
        return assembly.chain(
            from: RequestRouterNode<HTTPURL> { RequestDraft(route: RequestRoute(.get, $0)) },
            to: ResponseDataLoaderNode(limit: 10_000))
    }

    private let url = Result { try HTTPURL("http://a.test/x") }

    @Test func `the answer under way is read to its end, and no request follows`() async throws {
        let (transport, url) = (CarryingTransport([.init(chunks: [1_000, 2_000])]), try url.get())
        try await TrafficMeter().counting { () async throws in
            let chain = chain(try #require(TrafficLimit(1_024)), transport)
            #expect(try await chain.process(url, .test).bytes?.count == 3_000)
            let failure = await chain.failure(url)
            #expect(failure?.reason == .waitingForOrigin && failure?.phase == .notSent)
            #expect(failure?.underlying is TrafficSpent)
            #expect(
                failure?.description
                    == "not requested now (GET http://a.test/x): this run has carried 3.0 KiB, and may carry "
                    + "1.0 KiB (--max-bytes)")
        }
        #expect(transport.sent == 1)
    }

    @Test func `retries end where the limit is carried`() async throws {
        let lost = CarryingTransport.Answer(status: nil, ending: Failure(.connectionLost, phase: .maybeSent))
        let (transport, url) = (CarryingTransport([lost, lost, lost, lost]), try url.get())
        try await TrafficMeter().counting { () async throws in
            let failure = await chain(try #require(TrafficLimit(250)), transport, retries: 9).failure(url)
            #expect(failure?.underlying is TrafficSpent)
        }
        #expect(transport.sent == 3)
    }

    @Test func `the bytes that the run carried before count`() async throws {
        let (transport, url) = (CarryingTransport(), try url.get())
        let meter = TrafficMeter()
        meter.add(500)
        try await meter.counting { () async throws in
            #expect(await chain(try #require(TrafficLimit(500)), transport).failure(url)?.underlying is TrafficSpent)
        }
        #expect(transport.sent == 0)
    }

    @Test func `the budget behind it admits the request as well, and gets the bytes`() async throws {
        let (budget, url) = (Noting(), try url.get())
        try await TrafficMeter().counting { () async throws in
            let chain = chain(try #require(TrafficLimit(100, before: budget)), CarryingTransport())
            _ = try await chain.process(url, .test)
            _ = await chain.failure(url)
        }
        #expect(budget.notes.all == ["take", "settle 1", "spend 100"])
    }

    @Test func `without a number or a meter there is no limit`() async {
        #expect(TrafficLimit(1) == nil)
        await TrafficMeter().counting { () async in #expect(TrafficLimit(nil) == nil) }
    }
}
