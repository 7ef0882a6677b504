// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingNodes
import SidingTesting
import Testing

@Suite struct ThrottleNodeTests {
    let clock = ManualClock()
    let starts = Notes<Int>()

    var noting: Step<Int, Int> {
        Step { [starts] input, _ in
            starts.append(input)
            return input
        }
    }

    func throttled(_ excess: ThrottleNode<Step<Int, Int>>.Excess = .waits) -> ThrottleNode<Step<Int, Int>> {
        ThrottleNode(noting, interval: .seconds(10), excess: excess, clock: clock)
    }

    @Test func `one call starts per interval, the others wait their turn in order`() async {
        let node = throttled()
        let calls = (0..<4).map { node.call($0) }
        #expect(starts.all == [0])
        for turn in 1..<4 {
            await clock.sleepers(1)
            #expect(clock.waits == [.seconds(10)])
            clock.advance(by: .seconds(10))
            #expect(await calls[turn].value.value == turn)
            #expect(starts.all == Array(0...turn))
        }
    }

    @Test func `time that has passed is not waited for again`() async {
        let node = throttled()
        _ = await node.call(0).value
        clock.advance(by: .seconds(7))
        let early = node.call(1)
        await clock.sleepers(1)
        #expect(clock.waits == [.seconds(3)])
        clock.advance(by: .seconds(3))
        _ = await early.value
        clock.advance(by: .seconds(10))
        #expect(await node.call(2).value.value == 2)
    }

    @Test(arguments: [1, 2]) func `a call that is cancelled leaves the line and delays no other call`(
        _ leaver: Int
    ) async {
        let node = throttled()
        let calls = (0..<4).map { node.call($0) }
        await clock.sleepers(1)
        calls[leaver].cancel()
        let failure = await calls[leaver].value.failure
        #expect(failure?.reason == .cancelled)
        #expect(failure?.phase == .notSent)
        #expect(failure?.node == "ThrottleNode")
        let rest = [1, 2, 3].filter { $0 != leaver }
        for turn in rest {
            await clock.sleepers(1)
            #expect(clock.waits == [.seconds(10)])
            clock.advance(by: .seconds(10))
            #expect(await calls[turn].value.value == turn)
        }
        #expect(starts.all == [0] + rest)
    }

    @Test func `a long call does not hold up the next`() async {
        let line = ManualClock()
        let node = ThrottleNode(
            Step<Int, Int> { input, _ in
                if input == 0 { try? await line.sleep(for: .seconds(1)) }
                return input
            }, interval: .seconds(10), clock: clock)
        let long = node.call(0)
        clock.advance(by: .seconds(10))
        #expect(await node.call(1).value.value == 1)
        await line.sleepers(1)
        line.advance(by: .seconds(1))
        #expect(await long.value.value == 0)
    }

    @Test func `by choice a call that comes too early fails and reports when the next may start`() async {
        let node = throttled(.fails)
        #expect(await node.call(0).value.value == 0)
        clock.advance(by: .seconds(4))
        let failure = await node.failure(1)
        #expect(failure?.reason == .cancelled)
        #expect(failure?.phase == .notSent)
        #expect(failure?.detail == "one call per 10.0 seconds is let through; the next may start in 6.0 seconds")
        clock.advance(by: .seconds(6))
        #expect(await node.call(2).value.value == 2)
        #expect(starts.all == [0, 2])
    }

    @Test(arguments: [Duration.zero, .seconds(-1)]) func `without an interval nothing is throttled`(
        _ interval: Duration
    ) async {
        let node = ThrottleNode(noting, interval: interval, excess: .fails, clock: clock)
        for number in 0..<3 { #expect(await node.call(number).value.value == number) }
    }

    @Test func `an interval without end is legal`() async {
        let node = ThrottleNode(noting, interval: .seconds(Int64.max), clock: clock)
        #expect(await node.call(0).value.value == 0)
        let second = node.call(1)
        await clock.sleepers(1)
        // More than a clock can count would be a crash.
        #expect(clock.waits == [.seconds(31_536_000)])
        second.cancel()
        #expect(await second.value.failure?.reason == .cancelled)
    }

    @Test func `a failure of the call passes as it is`() async {
        let failing = Step<Int, Int> { _, _ throws(Failure) in throw Failure(.contract, phase: .answered) }
        #expect(await ThrottleNode(failing, interval: .seconds(1)).failure(1)?.reason == .contract)
        #expect(ThrottleNode(failing, interval: .seconds(1)).description == "ThrottleNode(Step)")
    }
}
