// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingNodes
import SidingTesting
import Testing

@Suite struct DebounceNodeTests {
    let clock = ManualClock()
    let starts = Notes<Int>()

    var node: DebounceNode<Step<Int, Int>> {
        let noting = Step<Int, Int> { [starts] input, _ in
            starts.append(input)
            return input
        }
        return DebounceNode(noting, interval: .seconds(1), clock: clock)
    }

    @Test func `only the last call of a burst runs, and the others fail at once with the reason`() async {
        let node = node
        let calls = (0..<5).map { node.call($0) }
        for call in calls.dropLast() {
            let failure = await call.value.failure
            #expect(failure?.reason == .cancelled)
            #expect(failure?.phase == .notSent)
            #expect(failure?.detail == "a later call within 1.0 seconds took its place")
            #expect(failure?.node == "DebounceNode")
        }
        await clock.sleepers(1)
        #expect(clock.waits == [.seconds(1)])
        clock.advance(by: .seconds(1))
        #expect(await calls[4].value.value == 4)
        #expect(starts.all == [4])
    }

    @Test func `a later call restarts the pause`() async {
        let node = node
        let first = node.call(1)
        await clock.sleepers(1)
        clock.advance(by: .milliseconds(900))
        let second = node.call(2)
        _ = await first.value
        await clock.sleepers(1)
        #expect(clock.waits == [.seconds(1)])
        clock.advance(by: .milliseconds(900))
        #expect(starts.all.isEmpty)
        clock.advance(by: .milliseconds(100))
        #expect(await second.value.value == 2)
    }

    @Test func `calls with a pause between them all run`() async {
        let node = node
        for number in 0..<3 {
            let call = node.call(number)
            await clock.sleepers(1)
            clock.advance(by: .seconds(1))
            #expect(await call.value.value == number)
        }
    }

    @Test func `a call that runs already is left alone`() async {
        let line = ManualClock()
        let node = DebounceNode(
            Step<Int, Int> { input, _ in
                if input == 1 { try? await line.sleep(for: .seconds(1)) }
                return Task.isCancelled ? -1 : input
            }, interval: .seconds(1), clock: clock)
        let running = node.call(1)
        await clock.sleepers(1)
        clock.advance(by: .seconds(1))
        await line.sleepers(1)
        let later = node.call(2)
        await clock.sleepers(1)
        line.advance(by: .seconds(1))
        #expect(await running.value.value == 1)
        clock.advance(by: .seconds(1))
        #expect(await later.value.value == 2)
    }

    @Test func `a caller that is cancelled while it waits does not run`() async {
        let node = node
        let call = node.call(1)
        await clock.sleepers(1)
        call.cancel()
        #expect(await call.value.failure?.reason == .cancelled)
        #expect(starts.all.isEmpty)
        #expect(clock.waits.isEmpty)
    }

    @Test(arguments: [Duration.zero, .seconds(-1)]) func `without an interval a call runs at once`(
        _ interval: Duration
    ) async {
        let node = DebounceNode(Step<Int, Int> { input, _ in input }, interval: interval)
        #expect(await node.call(7).value.value == 7)
        #expect(node.description == "DebounceNode(Step)")
    }

    @Test func `an interval without end is legal`() async {
        let node = DebounceNode(Step<Int, Int> { input, _ in input }, interval: .seconds(Int64.max), clock: clock)
        let call = node.call(7)
        await clock.sleepers(1)
        // More than a clock can count would be a crash.
        #expect(clock.waits == [.seconds(31_536_000)])
        call.cancel()
        #expect(await call.value.failure?.reason == .cancelled)
    }
}
