// SPDX-License-Identifier: Apache-2.0
import SidingTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct ManualClockTests {
    @Test func `time stands still until it is moved`() async throws {
        let clock = ManualClock()
        #expect(clock.now.offset == .zero)
        async let slept: Void = clock.sleep(for: .seconds(3))
        await clock.sleepers(1)
        #expect(clock.waits == [.seconds(3)])
        clock.advance(by: .seconds(2))
        #expect(clock.waits == [.seconds(1)])
        clock.advance(by: .seconds(1))
        try await slept
        #expect(clock.now.offset == .seconds(3))
        #expect(clock.waits.isEmpty)
    }

    @Test func `a sleep whose time has come does not sleep`() async throws {
        let clock = ManualClock()
        clock.advance(by: .seconds(5))
        try await clock.sleep(until: .init(offset: .seconds(5)))
        try await clock.sleep(for: .zero)
        try await clock.sleep(for: .seconds(-1))
        #expect(clock.waits.isEmpty)
    }

    @Test func `a cancelled sleep ends, before or while it sleeps`() async {
        let clock = ManualClock()
        let sleeper = Task { try await clock.sleep(for: .seconds(3)) }
        await clock.sleepers(1)
        sleeper.cancel()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
        let early = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await clock.sleep(for: .seconds(3))
        }
        await #expect(throws: CancellationError.self) { try await early.value }
        #expect(clock.waits.isEmpty)
    }

    @Test func `the wait for a sleeper with some time left ends as the clock comes to that`() async throws {
        let clock = ManualClock()
        async let slept: Void = clock.sleep(for: .seconds(10))
        await clock.sleepers(1, waiting: .seconds(10))
        let watching = Task.immediate { await clock.sleepers(1, waiting: .seconds(4)) }
        clock.advance(by: .seconds(5))
        clock.advance(by: .seconds(1))
        await watching.value
        #expect(clock.waits == [.seconds(4)])
        clock.advance(by: .seconds(4))
        try await slept
    }

    @Test func `a cancelled wait for sleepers ends, before or while it waits`() async throws {
        let clock = ManualClock()
        let early = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            await clock.sleepers(1)
        }
        await early.value
        let (watching, other) = (Task.immediate { await clock.sleepers(1) }, Task.immediate { await clock.sleepers(1) })
        watching.cancel()
        await watching.value
        // The others wait on.
        async let slept: Void = clock.sleep(for: .seconds(3))
        await other.value
        #expect(clock.waits == [.seconds(3)])
        clock.advance(by: .seconds(3))
        try await slept
    }

    @Test func `all sleepers whose time has come are woken`() async throws {
        let clock = ManualClock()
        let sum = try await withThrowingTaskGroup(of: Int.self) { group in
            for second in 1...5 {
                group.addTask {
                    try await clock.sleep(for: .seconds(second))
                    return second
                }
            }
            await clock.sleepers(5)
            clock.advance(by: .seconds(3))
            #expect(clock.waits == [.seconds(1), .seconds(2)])
            clock.advance(by: .seconds(2))
            return try await group.reduce(0, +)
        }
        #expect(sum == 15)
    }
}
