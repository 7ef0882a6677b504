// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import SidingSQLite

struct FileLockTests {
    private let scratch = Scratch()
    private var path: String { scratch.file("locks/owner") }

    private func isFree() throws -> Bool {
        guard let lock = try FileLock.tryAcquire(path) else { return false }
        return lock.path == path
    }

    @Test func `a lock has one holder at a time, also inside one process`() throws {
        do {
            let lock = try hold(path)
            #expect(try !isFree())
            _ = lock.path
        }
        #expect(try isFree())
    }

    @Test func `removing the file gives the lock back, and the next holder makes a new one`() throws {
        let lock = try hold(path)
        lock.remove()
        #expect(mode(path) == "missing")
        #expect(try isFree())
    }

    @Test func `a wait ends when the lock is given back`() async throws {
        let path = path
        let lock = try hold(path)
        let waiter = Task { try await FileLock.acquire(path, timeout: .seconds(600)).path }
        lock.remove()
        #expect(try await waiter.value == path)
    }

    @Test func `a wait ends at its time and names the holder of the lock`() async throws {
        let lock = try hold(path)
        let error = await failure { try await FileLock.acquire(path, timeout: .milliseconds(30)).path }
        #expect(error?.kind == .busy)
        #expect(error?.description.contains("process \(getpid())") == true)
        _ = lock.path
    }

    @Test func `a wait ends when its task is cancelled`() async throws {
        let path = path
        let lock = try hold(path)
        let waiter = Task { await failure { try await FileLock.acquire(path, timeout: .seconds(600)).path } }
        waiter.cancel()
        #expect(await waiter.value?.kind == .cancelled)
        _ = lock.path
    }

    @Test func `a child process does not inherit the lock, and a killed one leaves none`() async throws {
        let path = path
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            let lock = try hold(path)
            kill(getpid(), SIGKILL)
            _ = lock.path
        }
        #expect(mode(path) == "600")
        let lock = try hold(path)
        let child = Process()
        child.executableURL = URL(fileURLWithPath: "/bin/sleep")
        child.arguments = ["600"]
        try child.run()
        defer { kill(child.processIdentifier, SIGKILL) }
        lock.remove()
        #expect(try isFree())
    }
}
