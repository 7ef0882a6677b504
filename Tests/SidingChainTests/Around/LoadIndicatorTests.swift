// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingTesting
import Testing

@testable import SidingNodes

@Suite struct LoadIndicatorTests {
    let clock = ManualClock()
    let indicator = LoadIndicator()

    /// Waits for a second of the clock; the input says whether it then fails.
    var node: LoadIndicatableNode<Step<Bool, Int>> {
        let waiting = Step<Bool, Int> { [clock] fails, _ throws(Failure) in
            do { try await clock.sleep(for: .seconds(1)) } catch { throw Failure(.cancelled, phase: .notSent) }
            if fails { throw Failure(.contract, phase: .answered) }
            return 1
        }
        return LoadIndicatableNode(waiting, indicator: indicator)
    }

    @Test func `a success counts up and down`() async {
        let call = node.call(false)
        #expect(indicator.count == 1)
        await clock.sleepers(1)
        clock.advance(by: .seconds(1))
        #expect(await call.value.value == 1)
        #expect(indicator.count == 0)
    }

    @Test func `a failure counts down`() async {
        let call = node.call(true)
        #expect(indicator.count == 1)
        await clock.sleepers(1)
        clock.advance(by: .seconds(1))
        #expect(await call.value.failure?.reason == .contract)
        #expect(indicator.count == 0)
    }

    @Test func `a cancellation counts down`() async {
        let call = node.call(false)
        #expect(indicator.count == 1)
        call.cancel()
        #expect(await call.value.failure?.reason == .cancelled)
        #expect(indicator.count == 0)
    }

    @Test func `calls at once add up, over all nodes that share the indicator`() async {
        let other = LoadIndicatableNode(node, indicator: indicator)
        let calls = [node.call(false), node.call(true), other.call(false)]
        #expect(indicator.count == 4)
        await clock.sleepers(3)
        clock.advance(by: .seconds(1))
        for call in calls { _ = await call.value }
        #expect(indicator.count == 0)
        #expect(other.description == "LoadIndicatableNode(LoadIndicatableNode(Step))")
    }

    @Test func `an observer gets the present number at once, then each change`() async {
        let running = node.call(false)
        var counts = indicator.makeAsyncIterator()
        #expect(await counts.next() == 1)
        let second = node.call(false)
        #expect(await counts.next() == 2)
        second.cancel()
        _ = await second.value
        #expect(await counts.next() == 1)
        await clock.sleepers(1)
        clock.advance(by: .seconds(1))
        _ = await running.value
        #expect(await counts.next() == 0)
    }

    @Test func `a slow reader misses numbers in between, never the newest`() async {
        var counts = indicator.makeAsyncIterator()
        let calls = (0..<5).map { _ in node.call(false) }
        #expect(await counts.next() == 5)
        await clock.sleepers(5)
        clock.advance(by: .seconds(1))
        for call in calls { _ = await call.value }
        #expect(await counts.next() == 0)
    }

    @Test func `observers do not take numbers from each other`() async {
        var (one, two) = (indicator.makeAsyncIterator(), indicator.makeAsyncIterator())
        #expect(await one.next() == 0)
        #expect(await two.next() == 0)
        let call = node.call(false)
        #expect(await one.next() == 1)
        #expect(await two.next() == 1)
        call.cancel()
        _ = await call.value
        #expect(await one.next() == 0)
        #expect(await two.next() == 0)
    }

    @Test func `a released or cancelled observer is forgotten`() async {
        do {
            var counts = indicator.makeAsyncIterator()
            _ = await counts.next()
            #expect(indicator.observerCount == 1)
        }
        #expect(indicator.observerCount == 0)
        let reader = started { [indicator] in
            for await _ in indicator {}
        }
        #expect(indicator.observerCount == 1)
        reader.cancel()
        await reader.value
        #expect(indicator.observerCount == 0)
    }

    @Test func `the sequence ends with its indicator`() async {
        var short: LoadIndicator? = LoadIndicator()
        var counts = short?.makeAsyncIterator()
        short = nil
        #expect(await counts?.next() == 0)
        #expect(await counts?.next() == nil)
    }

    @Test func `no count is lost among many threads`() async {
        let quick = LoadIndicatableNode(
            Step<Int, Int> { input, _ throws(Failure) in
                await Task.yield()
                if input % 3 == 0 { throw Failure(.contract, phase: .answered) }
                return input
            }, indicator: indicator)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<100 { group.addTask { _ = await quick.failure(number) } }
        }
        #expect(indicator.count == 0)
    }
}
