import SidingTesting
import Testing

@Suite struct ManualClockTests {
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
