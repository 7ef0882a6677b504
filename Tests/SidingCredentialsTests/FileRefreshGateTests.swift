// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingSQLite
import SidingTesting
import Testing

@testable import SidingCredentials

@Suite struct FileRefreshGateTests {
    private let state: TemporaryDirectory
    private let clock = ManualClock()
    private var directory: String { state.path(of: "credentials") }

    init() throws {
        state = try TemporaryDirectory()
    }

    private func enter(_ account: String = "tracker", timeout: Duration = .seconds(60)) async -> Failure? {
        let gate = FileRefreshGate(directory: directory, timeout: timeout, clock: clock)
        do throws(Failure) {
            try await gate.withRefresh(of: account) { () async throws(Failure) in }
            return nil
        } catch { return error }
    }

    @Test func `the lock lies beside the credential and is free again after the body, also one that fails`()
        async throws
    {
        let gate = FileRefreshGate(directory: directory, clock: clock)
        let path = "\(directory)/tracker.lock"
        await #expect(throws: Failure.self) {
            try await gate.withRefresh(of: "tracker") { () async throws(Failure) in
                #expect((try? Self.isFree(path)) == false)
                throw Failure(.contract, phase: .answered)
            }
        }
        #expect(try Self.isFree(path))
    }

    @Test func `the second caller waits on the clock until the first is out, and other accounts do not`() async throws {
        let lock = try hold()
        async let second = enter()
        await clock.sleepers(1)
        #expect(clock.waits == [.milliseconds(20)])
        #expect(await enter("other") == nil)
        clock.advance(by: .milliseconds(20))
        await clock.sleepers(1)
        _ = consume lock
        clock.advance(by: .milliseconds(20))
        #expect(await second == nil)
    }

    @Test func `the wait ends at its time and names the holder`() async throws {
        let lock = try hold()
        async let second = enter(timeout: .milliseconds(40))
        for _ in 0..<2 {
            await clock.sleepers(1)
            clock.advance(by: .milliseconds(20))
        }
        let failure = try #require(await second)
        #expect(failure.reason == .timeout(.total))
        #expect(failure.phase == .notSent)
        #expect(failure.description.contains("'tracker'") && failure.description.contains("held by process"))
        _ = lock.path
    }

    @Test func `a wait that is cancelled ends`() async throws {
        let lock = try hold()
        let second = Task { await enter() }
        await clock.sleepers(1)
        second.cancel()
        #expect(await second.value?.reason == .cancelled)
        _ = lock.path
    }

    @Test func `a name that could lead elsewhere is refused`() async {
        #expect(await enter("../tracker")?.reason == .invalidRequest)
    }

    private func hold() throws -> FileLock {
        guard let lock = try FileLock.tryAcquire("\(directory)/tracker.lock") else {
            throw Failure(.internalFault, phase: .notSent, detail: "the lock is taken")
        }
        return lock
    }

    private static func isFree(_ path: String) throws -> Bool {
        guard let lock = try FileLock.tryAcquire(path) else { return false }
        return lock.path == path
    }
}
