// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingSynchronization
import SidingTesting
import Testing

@testable import SidingNodes

@Suite struct SingleFlightNodeTests {
    enum Trace { @TaskLocal static var caller = "nobody" }

    let clock = ManualClock()
    let runs = Counter()

    /// Doubles its input after a second of the clock, and ends at once when it is cancelled.
    var slow: Step<Int, Int> {
        Step { [clock, runs] input, _ throws(Failure) in
            runs.next()
            do { try await clock.sleep(for: .seconds(1)) } catch { throw Failure(.cancelled, phase: .notSent) }
            return input * 2
        }
    }

    @Test func `a hundred identical calls at the same moment share one`() async {
        let node = SingleFlightNode(slow)
        let calls = (0..<100).map { _ in node.call(7) }
        await clock.sleepers(1)
        clock.advance(by: .seconds(1))
        for call in calls { #expect(await call.value.value == 14) }
        #expect(runs.count == 1)
    }

    @Test func `the key decides which calls are the same`() async {
        let node = SingleFlightNode(slow) { $0 % 2 }
        let calls = [2, 3, 4, 5].map { node.call($0) }
        await clock.sleepers(2)
        clock.advance(by: .seconds(1))
        var answers: [Int?] = []
        for call in calls { answers.append(await call.value.value) }
        #expect(answers == [4, 6, 4, 6])
        #expect(runs.count == 2)
    }

    @Test func `a shared failure reaches all who wait`() async {
        let failing = Step<Int, Int> { [clock, runs] _, _ throws(Failure) in
            runs.next()
            try? await clock.sleep(for: .seconds(1))
            throw Failure(.contract, phase: .answered)
        }
        let node = SingleFlightNode(failing)
        let calls = (0..<100).map { _ in node.call(1) }
        await clock.sleepers(1)
        clock.advance(by: .seconds(1))
        for call in calls { #expect(await call.value.failure?.reason == .contract) }
        #expect(runs.count == 1)
    }

    @Test func `the next call after any end starts anew`() async throws {
        let node = SingleFlightNode(
            Step<Int, Int> { [runs] _, _ throws(Failure) in
                let run = runs.next()
                guard run != 2 else { throw Failure(.contract, phase: .answered) }
                return run
            })
        #expect(try await node.process(1, .test) == 1)
        #expect(await node.failure(1)?.reason == .contract)
        #expect(try await node.process(1, .test) == 3)
    }

    @Test(arguments: [0, 1, 2])
    func `a cancelled caller leaves at once, and the call continues for the others`(_ leaver: Int) async {
        let node = SingleFlightNode(slow)
        let calls = (0..<3).map { _ in node.call(7) }
        await clock.sleepers(1)
        calls[leaver].cancel()
        let failure = await calls[leaver].value.failure
        #expect(failure?.reason == .cancelled)
        #expect(failure?.phase == .maybeSent)
        #expect(clock.waits == [.seconds(1)])
        clock.advance(by: .seconds(1))
        for (index, call) in calls.enumerated() where index != leaver { #expect(await call.value.value == 14) }
        #expect(runs.count == 1)
    }

    @Test func `the call is cancelled when the last one leaves`() async {
        let ended = Promise<Bool>()
        let node = SingleFlightNode(
            Step<Int, Int> { [clock] input, _ in
                try? await clock.sleep(for: .seconds(1))
                ended.resolve(Task.isCancelled)
                return input
            })
        let calls = (0..<3).map { _ in node.call(7) }
        await clock.sleepers(1)
        for call in calls { call.cancel() }
        for call in calls { #expect(await call.value.failure?.reason == .cancelled) }
        #expect(await ended.value())
    }

    @Test func `after the last caller left the next call starts anew, though the old one still ends`() async {
        let (release, ended) = (Promise<Void>(), Promise<Void>())
        let stubborn = Step<Int, Int> { [runs] _, _ in
            let run = runs.next()
            if run == 1 {
                await release.value()
                ended.resolve(())
            }
            return run
        }
        let node = SingleFlightNode(stubborn)
        let first = node.call(7)
        first.cancel()
        #expect(await first.value.failure?.reason == .cancelled)
        #expect(await node.call(7).value.value != nil)
        release.resolve(())
        await ended.value()
        #expect(runs.count == 2)
    }

    @Test func `an old call that winds down takes no newer one with it`() async {
        let releases = [Promise<Void>(), Promise<Void>()]
        let ended = Promise<Void>()
        let stubborn = Step<Int, Int> { _, context in
            let isFirst = context.requestID == "first"
            await releases[isFirst ? 0 : 1].value()
            return isFirst ? 1 : 2
        }
        let node = SingleFlightNode(
            stubborn.map { [ended] value in
                if value == 1 { ended.resolve(()) }
                return value
            })
        let first = node.call(7, ChainContext(requestID: "first"))
        first.cancel()
        _ = await first.value
        let second = node.call(7, ChainContext(requestID: "second"))
        releases[0].resolve(())
        await ended.value()
        let third = node.call(7, ChainContext(requestID: "third"))
        releases[1].resolve(())
        #expect(await second.value.value == 2)
        #expect(await third.value.value == 2)
    }

    @Test func `a call that is cancelled before it joins sends no request`() async {
        let node = SingleFlightNode(slow)
        let failure = await started { [node] in
            withUnsafeCurrentTask { $0?.cancel() }
            return await node.failure(7)
        }.value
        #expect(failure?.reason == .cancelled)
        #expect(failure?.phase == .notSent)
        #expect(runs.count == 0)
    }

    @Test func `the shared call runs in the first caller's context and task-locals`() async {
        let node = SingleFlightNode(
            Step<Int, String> { [clock] _, context in
                try? await clock.sleep(for: .seconds(1))
                return "\(context.requestID) \(Trace.caller)"
            })
        let first = Trace.$caller.withValue("anna") { node.call(1, ChainContext(requestID: "a")) }
        let second = Trace.$caller.withValue("bert") { node.call(1, ChainContext(requestID: "b")) }
        await clock.sleepers(1)
        clock.advance(by: .seconds(1))
        #expect(await first.value.value == "a anna")
        #expect(await second.value.value == "a anna")
    }

    @Test func `the shared call is as urgent as its most urgent caller`() async {
        let node = SingleFlightNode(
            Step<Int, [TaskPriority]> { [clock] _, _ in
                let before = Task.currentPriority
                try? await clock.sleep(for: .seconds(1))
                return [before, Task.currentPriority]
            })
        let idle = started(priority: .low) { [node] in try? await node.process(1, .test) }
        await clock.sleepers(1)
        let urgent = started(priority: .high) { [node] in try? await node.process(1, .test) }
        clock.advance(by: .seconds(1))
        #expect(await urgent.value == [.low, .high])
        #expect(await idle.value == [.low, .high])
    }

    @Test func `callers in many threads never have two calls of one key run at once`() async {
        let running = Mutex<[Int: Int]>([:])
        let most = Mutex(0)
        let node = SingleFlightNode(
            Step<Int, Int> { key, _ in
                let count = running.withLock { running in
                    running[key, default: 0] += 1
                    return running[key, default: 0]
                }
                most.withLock { $0 = max($0, count) }
                for _ in 0..<5 { await Task.yield() }
                running.withLock { $0[key, default: 0] -= 1 }
                return key * 2
            })
        await withTaskGroup(of: Void.self) { group in
            for caller in 0..<100 {
                group.addTask {
                    for _ in 0..<20 { #expect(try! await node.process(caller % 4, .test) == caller % 4 * 2) }
                }
            }
        }
        #expect(most.withLock { $0 } == 1)
    }

    @Test func `the description names the shared steps`() {
        #expect(SingleFlightNode(slow.map { $0 }).description == "SingleFlightNode(Step → MapNode)")
    }
}
