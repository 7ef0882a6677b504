// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import SidingChain
import SidingSynchronization
import SidingTesting
import Testing

@testable import SidingNodes

@Suite struct PagerTests {
    typealias Answer = PagerAnswer<String, Int>

    let asked = Notes<Int>()

    /// Pages "0", "1", … up to `last`.
    func pager(last: Int, maxPages: Int? = nil) -> Pager<String, Int> {
        Pager(from: 0, maxPages: maxPages) { [asked] position in
            asked.append(position)
            await Task.yield()
            return Answer(page: "\(position)", next: position < last ? position + 1 : nil)
        }
    }

    @Test func `the pages come in order, then the end, and the end stays`() async throws {
        let pager = pager(last: 3)
        var pages: [String] = []
        for try await page in pager { pages.append(page) }
        #expect(pages == ["0", "1", "2", "3"])
        #expect(pager.isComplete)
        #expect(try await pager.next() == nil)
        #expect(asked.all == [0, 1, 2, 3])
    }

    @Test func `a hundred callers at the same moment get a page each, in the order in which they came`() async {
        let pager = pager(last: 1000)
        let calls = (0..<100).map { _ in started { try? await pager.next() } }
        for (index, call) in calls.enumerated() { #expect(await call.value == "\(index)") }
        #expect(asked.all == Array(0..<100))
    }

    @Test func `callers in many threads never request one page twice, and each page is given to one of them`() async {
        let pager = pager(last: 499)
        let delivered = Notes<String>()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<100 {
                group.addTask {
                    while let page = try? await pager.next() { delivered.append(page) }
                }
            }
        }
        #expect(asked.all == Array(0..<500))
        #expect(delivered.all.sorted() == (0..<500).map { "\($0)" }.sorted())
    }

    @Test func `a failed page is requested again by the next call`() async throws {
        struct Own: Error {}
        let tries = Counter()
        let pager = Pager<String, Int>(from: 0) { position in
            guard position != 1 || tries.next() > 1 else { throw Own() }
            return Answer(page: "\(position)", next: position < 2 ? position + 1 : nil)
        }
        #expect(try await pager.next() == "0")
        let failure = await #expect(throws: Failure.self) { try await pager.next() }
        #expect(failure?.reason == .userCode)
        #expect(failure?.phase == .maybeSent)
        #expect(failure?.node == "Pager")
        #expect(failure?.underlying is Own)
        #expect(try await pager.next() == "1")
        #expect(try await pager.next() == "2")
        #expect(try await pager.next() == nil)
    }

    @Test func `a caller that is cancelled in line leaves at once, and takes no page`() async {
        let (clock, pager) = slow()
        let calls = (0..<3).map { _ in started { await Self.outcome(pager) } }
        await clock.sleepers(1)
        calls[1].cancel()
        #expect(await calls[1].value.failure?.reason == .cancelled)
        clock.advance(by: .seconds(1))
        #expect(await calls[0].value.value == "0")
        await clock.sleepers(1)
        clock.advance(by: .seconds(1))
        #expect(await calls[2].value.value == "1")
    }

    @Test func `a caller that is cancelled while its page is on the way leaves the page to the next`() async {
        let (clock, pager) = slow()
        let calls = (0..<2).map { _ in started { await Self.outcome(pager) } }
        await clock.sleepers(1)
        calls[0].cancel()
        #expect(await calls[0].value.failure?.reason == .cancelled)
        await clock.sleepers(1)
        clock.advance(by: .seconds(1))
        #expect(await calls[1].value.value == "0")
        #expect(asked.all == [0, 0])
    }

    @Test func `a saved state continues in another pager at the next page`() async throws {
        let first = pager(last: 3)
        _ = try await first.next()
        _ = try await first.next()
        let saved = try JSONEncoder().encode(first.saveState())
        let second = pager(last: 3)
        second.restoreState(try JSONDecoder().decode(PagerState<Int>.self, from: saved))
        #expect(try await second.next() == "2")
        #expect(try await second.next() == "3")
        #expect(try await second.next() == nil)
        let end = pager(last: 3)
        end.restoreState(second.saveState())
        #expect(end.isComplete)
        #expect(try await end.next() == nil)
    }

    @Test func `a page that is on its way when the state is saved is not behind it`() async throws {
        let (clock, pager) = slow()
        let call = started { await Self.outcome(pager) }
        await clock.sleepers(1)
        #expect(pager.saveState() == PagerState(next: 0))
        clock.advance(by: .seconds(1))
        _ = await call.value
        #expect(pager.saveState() == PagerState(next: 1, delivered: [0]))
    }

    @Test func `renewed, the listing starts from the first page`() async throws {
        let pager = pager(last: 1)
        while try await pager.next() != nil {}
        pager.renew()
        #expect(!pager.isComplete)
        #expect(try await pager.next() == "0")
        #expect(asked.all == [0, 1, 0])
    }

    @Test(arguments: [false, true])
    func `an answer to a request from before the renewal is dropped, a failure too`(_ fails: Bool) async throws {
        let (old, runs) = (Promise<Void>(), Counter())
        let pager = Pager<String, Int>(from: 0) { [asked] position in
            asked.append(position)
            let run = runs.next()
            if run == 2 {
                await old.value()
                if fails { throw Failure(.contract, phase: .answered) }
            }
            return Answer(page: "run \(run)", next: position + 1)
        }
        #expect(try await pager.next() == "run 1")
        let late = started { await Self.outcome(pager) }
        let waiting = started { await Self.outcome(pager) }
        pager.renew()
        // Nobody waits for the old answer but the one who asked for it.
        #expect(await waiting.value.value == "run 3")
        old.resolve(())
        #expect(await late.value.value == "run 4")
        #expect(asked.all == [0, 1, 0, 1])
        #expect(pager.saveState() == PagerState(next: 2, delivered: [0, 1]))
    }

    @Test(arguments: [0, 1, 2]) func `a listing that leads back to a page that came before is a loop`(
        _ target: Int
    ) async throws {
        let pager = Pager<String, Int>(from: 0) { [asked] position in
            asked.append(position)
            return Answer(page: "\(position)", next: position == 2 ? target : position + 1)
        }
        for page in 0..<3 { #expect(try await pager.next() == "\(page)") }
        for _ in 0..<2 {
            let failure = await #expect(throws: Failure.self) { try await pager.next() }
            #expect(failure?.reason == .contract)
            #expect(failure?.phase == .answered)
            #expect(
                failure?.detail
                    == "page 3 leads back to a page that came before: a loop; the listing is incomplete")
        }
        #expect(!pager.isComplete)
        #expect(asked.all == [0, 1, 2])
        pager.renew()
        #expect(try await pager.next() == "0")
    }

    @Test func `a loop is found across a restored state`() async throws {
        let pager = Pager<String, Int>(from: 0) { position in Answer(page: "\(position)", next: (position + 1) % 3) }
        pager.restoreState(PagerState(next: 2, delivered: [0, 1]))
        #expect(try await pager.next() == "2")
        await #expect(throws: Failure.self) { try await pager.next() }
    }

    @Test func `after the most pages the sequence ends, and is not complete`() async throws {
        let short = pager(last: 9, maxPages: 3)
        short.restoreState(PagerState(next: 1, delivered: [0]))
        #expect(try await short.next() == "1")
        #expect(try await short.next() == "2")
        #expect(try await short.next() == nil)
        #expect(!short.isComplete)
        #expect(asked.all == [1, 2])
        #expect(short.saveState().next == 3)
    }

    @Test func `a chain can be the source of pages, with a context for each page`() async throws {
        let contexts = Counter()
        let chain = Step<Int, PagerAnswer<String, Int>> { position, context throws(Failure) in
            guard position < 2 else { throw Failure(.contract, phase: .answered).at(node: "mine") }
            return PagerAnswer(page: context.requestID, next: position + 1)
        }
        let pager = Pager(from: 0, node: chain) { ChainContext(requestID: "page \(contexts.next())") }
        #expect(try await pager.next() == "page 1")
        #expect(try await pager.next() == "page 2")
        #expect(await #expect(throws: Failure.self) { try await pager.next() }?.node == "mine")
    }

    /// A pager without end whose pages take a second of the clock.
    func slow() -> (ManualClock, Pager<String, Int>) {
        let clock = ManualClock()
        let pager = Pager<String, Int>(from: 0) { [asked] position in
            asked.append(position)
            try await clock.sleep(for: .seconds(1))
            return Answer(page: "\(position)", next: position + 1)
        }
        return (clock, pager)
    }

    static func outcome(_ pager: Pager<String, Int>) async -> Result<String?, Failure> {
        do throws(Failure) { return .success(try await pager.next()) } catch { return .failure(error) }
    }
}
