// SPDX-License-Identifier: Apache-2.0
import SidingSynchronization
import Testing

@testable import SidingNetwork

/// The waiting and telling, with a pair of sockets in place of the kernel.
@Suite(.timeLimit(.minutes(5))) struct NetworkChangesTests {
    @Test func `a change wakes who waits`() async throws {
        let kernel = try ScriptedKernel()
        let changes = NetworkChanges(socket: kernel.socket)
        #expect(changes.isWatching)
        let mark = changes.mark
        async let told = changes.next(after: mark)
        kernel.tell(.routes)
        #expect(await told == .routes)
    }

    @Test func `a change that the program announces wakes as one of the kernel does`() async throws {
        let kernel = try ScriptedKernel()
        let changes = NetworkChanges(socket: kernel.socket)
        let mark = changes.mark
        async let told = changes.next(after: mark)
        changes.announce()
        #expect(await told == .links)
    }

    @Test func `of changes that are announced at once none is lost`() async throws {
        let kernel = try ScriptedKernel()
        let changes = NetworkChanges(socket: kernel.socket)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<200 { group.addTask { changes.announce(number % 2 == 0 ? .links : .routes) } }
        }
        #expect(await changes.next(after: NetworkChanges.Mark(count: 0)) == [.links, .routes])
        // Two with one time would leave the last of them without a kind.
        let last = await changes.next(after: NetworkChanges.Mark(count: 199))
        #expect(last == .links || last == .routes)
    }

    @Test func `a change between the mark and the wait is not lost`() async throws {
        let kernel = try ScriptedKernel()
        let changes = NetworkChanges(socket: kernel.socket)
        let mark = changes.mark
        kernel.tell(.links)
        _ = await changes.next(after: mark)
        #expect(await changes.next(after: mark) == .links)
    }

    @Test func `changes before a read are reported as one, to each iterator`() async throws {
        let kernel = try ScriptedKernel()
        let changes = NetworkChanges(socket: kernel.socket)
        for kind in [NetworkChange.links, .addresses, .links, .routes] { await kernel.tell(kind, changes) }
        var (one, other) = (changes.makeAsyncIterator(), changes.makeAsyncIterator())
        #expect(await one.next() == [.links, .addresses, .routes])
        await kernel.tell(.missed, changes)
        #expect(await one.next() == .missed)
        #expect(await other.next() == [.links, .addresses, .routes, .missed])
    }

    @Test func `cancelling ends the iteration, and one wait ends no other`() async throws {
        let kernel = try ScriptedKernel()
        let changes = NetworkChanges(socket: kernel.socket)
        let iteration = Task { for await _ in changes {} }
        let mark = changes.mark
        let wait = Task { await changes.next(after: mark) }
        let other = Task { await changes.next(after: mark) }
        iteration.cancel()
        wait.cancel()
        await iteration.value
        #expect(await wait.value == nil)
        kernel.tell(.addresses)
        #expect(await other.value == .addresses)
    }

    @Test func `the descriptor is closed once, with the last reference`() async throws {
        let kernel = try ScriptedKernel()
        var changes: NetworkChanges? = NetworkChanges(socket: kernel.socket)
        let iteration = Task { [changes] in for await _ in try #require(changes) {} }
        await kernel.tell(.links, try #require(changes))
        changes = nil
        #expect(kernel.closed == 0)
        iteration.cancel()
        try await iteration.value
        await kernel.untilClosed()
        #expect(kernel.closed == 1)
        #expect(kernel.isDeaf)
    }

    @Test func `without a socket no change is reported, and the fault says why`() async {
        for code in [EAFNOSUPPORT, EPERM, EMFILE, ENOBUFS] {
            let socket = NetworkSocket(
                open: { () throws(NetworkWatchFault) in throw NetworkWatchFault(code: code) },
                take: { _ in [] }, close: { _ in Issue.record("nothing was opened") })
            let changes = NetworkChanges(socket: socket)
            #expect(!changes.isWatching)
            #expect(changes.fault == NetworkWatchFault(code: code))
            let mark = changes.mark
            let wait = Task { await changes.next(after: mark) }
            wait.cancel()
            #expect(await wait.value == nil)
        }
        let text = NetworkWatchFault(code: EAFNOSUPPORT).description
        #expect(text.hasPrefix("cannot watch the network (netlink: Address family not supported"))
        #expect(
            text.hasSuffix(
                "RestrictAddressFamilies=. Entries that wait for a connection are retried at set times only."))
    }

    @Test func `a socket that breaks wakes its waiters, is closed once, and the fault says why`() async throws {
        let kernel = try ScriptedKernel()
        let changes = NetworkChanges(socket: kernel.socket)
        let mark = changes.mark
        async let told = changes.next(after: mark)
        kernel.breakDown()
        #expect(await told == .missed)
        #expect(changes.fault == NetworkWatchFault(code: EBADF))
        #expect(!changes.isWatching)
        await kernel.untilClosed()
        #expect(kernel.closed == 1)
    }

    @Test func `kinds have names`() {
        #expect("\([.links, .missed] as NetworkChange)" == "links, missed")
        #expect("\(NetworkChange.addresses)" == "addresses")
        #expect("\(NetworkChange.routes)" == "routes")
    }
}
