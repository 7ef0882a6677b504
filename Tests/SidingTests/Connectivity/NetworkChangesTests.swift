import Glibc
import SidingSynchronization
import Testing

@testable import Siding

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

    @Test func `a change between the mark and the wait is not lost`() async throws {
        let kernel = try ScriptedKernel()
        let changes = NetworkChanges(socket: kernel.socket)
        let mark = changes.mark
        kernel.tell(.links)
        _ = await changes.next(after: mark)
        #expect(await changes.next(after: mark) == .links)
    }

    @Test func `changes that nobody took are told as one, to each who iterates`() async throws {
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

    @Test func `the descriptor is closed once, when the last reference goes`() async throws {
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

    @Test func `where there is no socket nothing is told, and it is said why`() async {
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
        #expect(text.contains("RestrictAddressFamilies") && text.contains("Address family not supported"))
    }

    @Test func `a socket that breaks wakes who waits, is closed once, and it is said why`() async throws {
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

/// Speaks like the kernel through a pair of sockets: each byte is a set of kinds.
private final class ScriptedKernel: Sendable {
    private static let fault: UInt8 = 0xFF
    private let near: Int32
    private let far: Int32
    private let closures = Mutex(0)
    private let closing = ChangeSignal()

    init() throws {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        try #require(socketpair(AF_UNIX, type, 0, &ends) == 0)
        (near, far) = (ends[0], ends[1])
    }

    deinit {
        close(far)
    }

    var socket: NetworkSocket {
        NetworkSocket(
            open: { [near] in near },
            take: { (descriptor) throws(NetworkWatchFault) in
                var change: NetworkChange = []
                var byte: UInt8 = 0
                while read(descriptor, &byte, 1) == 1 {
                    guard byte != Self.fault else { throw NetworkWatchFault(code: EBADF) }
                    change.formUnion(NetworkChange(rawValue: UInt32(byte)))
                }
                return change
            },
            close: { [closing, weak self] descriptor in
                close(descriptor)
                self?.closures.withLock { $0 += 1 }
                closing.fire()
            })
    }

    var closed: Int { closures.withLock { $0 } }

    /// Whether nobody holds the near end any more.
    var isDeaf: Bool { send(1) == EPIPE }

    func tell(_ change: NetworkChange) {
        #expect(send(UInt8(change.rawValue)) == nil)
    }

    /// Returns when `changes` knows it, too.
    func tell(_ change: NetworkChange, _ changes: NetworkChanges) async {
        let mark = changes.mark
        tell(change)
        await changes.next(after: mark)
    }

    func breakDown() {
        #expect(send(Self.fault) == nil)
    }

    func untilClosed() async { await closing.wait(past: 0) }

    private func send(_ byte: UInt8) -> Int32? {
        var byte = byte
        return Glibc.send(far, &byte, 1, Int32(MSG_NOSIGNAL)) == 1 ? nil : errno
    }
}
