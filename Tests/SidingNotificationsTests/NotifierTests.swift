// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Siding
import SidingChain
import SidingCredentials
import SidingSynchronization
import SidingTesting
import Testing

@testable import SidingNotifications

@Suite struct NotifierTests {
    @Test func `the JSON names the event, the resource, since when, why and where to look`() async throws {
        let bench = try await NotifyBench()
        try await bench.run(.failed, error: "the origin answered 403")
        let began = bench.time.now
        try await bench.notifier().notify()
        let sent = try #require(bench.receiver.take().first)
        #expect(sent.request.method == .post)
        #expect(sent.request.headerFields[.contentType] == "application/json")
        let event = try SentEvent(sent.body)
        #expect(event.event == "failed")
        #expect(event.kind == "failed")
        #expect(event.subject == "posts")
        #expect(event.since == began.rfc3339)
        #expect(event.message == "the origin answered 403")
        #expect(event.host == "kiosk")
        #expect(event.hint == "siding status")
        #expect(event.text == "siding on kiosk: 'posts' fails: the origin answered 403")
        bench.time.advance(by: .seconds(7200))
        try await bench.run(.saved)
        try await bench.notifier().notify()
        let end = try SentEvent(try #require(bench.receiver.take().first).body)
        #expect(end.event == "recovered")
        #expect(end.kind == "failed")
        #expect(end.ended_at == bench.time.now.rfc3339)
        #expect(
            end.text
                == "siding on kiosk: 'posts' recovered after 2 h; it had failed: the origin answered 403")
    }

    @Test func `a quiet run writes nothing`() async throws {
        let bench = try await NotifyBench()
        try await bench.run(.failed, error: "403")
        try await bench.notifier().notify()
        let reader = try await Store.open(at: bench.store.path, access: .readOnly, clock: bench.time.clock)
        // A store that is open for reading alone fails at the first write.
        try await bench.notifier(over: reader).notify()
        await reader.close()
    }

    @Test func `a hook is notified of the events in its list alone`() async throws {
        let bench = try await NotifyBench()
        var hook = NotifyBench.hook()
        func taken(on events: Set<NotificationHook.Event>) async throws -> [String] {
            hook.events = events
            try await bench.run(.failed, error: "403")
            try await bench.notifier([hook]).notify()
            try await bench.run(.saved)
            try await bench.notifier([hook]).notify()
            #expect(try await bench.store.incidents() == [])
            return try bench.taken()
        }
        #expect(try await taken(on: [.failed]) == ["failed posts"])
        #expect(try await taken(on: [.parked, .recovered]) == [])
        #expect(try await taken(on: [.recovered]) == ["recovered failed posts"])
        #expect(try await taken(on: [.failed, .recovered]) == ["failed posts", "recovered failed posts"])
    }

    @Test func `each hook has its own patience with the queue`() async throws {
        let bench = try await NotifyBench()
        var patient = NotifyBench.hook("http://127.0.0.1:2/hook")
        patient.queuedLongerThan = .seconds(86_400)
        let (quick, slow) = (ScriptedTransports(), ScriptedTransports())
        let transports = ByPort(["127.0.0.1:1": quick, "127.0.0.1:2": slow])
        try await bench.enqueue()
        var counts: [[Int]] = []
        for _ in 1...3 {
            bench.time.advance(by: .seconds(36_000))
            try await bench.notifier([NotifyBench.hook(), patient], transports: transports).notify()
            counts.append([quick.take().count, slow.take().count])
        }
        #expect(counts == [[1, 0], [0, 0], [0, 1]])
    }

    @Test func `entries that are each delivered in time concern a hook no more for their number`() async throws {
        let bench = try await NotifyBench()
        var (quick, patient) = (NotifyBench.hook(), NotifyBench.hook("http://127.0.0.1:2/hook"))
        (quick.queuedLongerThan, patient.queuedLongerThan) = (.seconds(10), .seconds(30))
        let (first, second) = (ScriptedTransports(), ScriptedTransports())
        let transports = ByPort(["127.0.0.1:1": first, "127.0.0.1:2": second])
        var counts: [[Int]] = []
        func look(after seconds: Int) async throws {
            bench.time.advance(by: .seconds(seconds))
            try await bench.notifier([quick, patient], transports: transports).notify()
            counts.append([first.take().count, second.take().count])
        }
        let entry = try await bench.enqueue()
        try await look(after: 11)
        bench.time.advance(by: .seconds(9))
        try await bench.enqueue()
        _ = try await bench.store.perform(.drop, on: QueueSelection(ids: [entry.id]))
        // The oldest entry is 11 s old, though entries have been queued for 31 s.
        try await look(after: 11)
        #expect(counts == [[1, 0], [0, 0]])
        _ = try await bench.store.perform(.drop, on: QueueSelection())
        try await look(after: 60)
        #expect(counts.last == [1, 0])
        // Now one is too old for both, so both are notified of its beginning and its end.
        try await bench.enqueue()
        try await look(after: 31)
        _ = try await bench.store.perform(.drop, on: QueueSelection())
        try await look(after: 1)
        #expect(counts.suffix(2) == [[1, 1], [1, 1]])
        #expect(try await bench.store.incidents() == [])
    }

    @Test func `a hook that comes back is notified of what ended and began without it`() async throws {
        let bench = try await NotifyBench()
        func taken(_ hooks: [NotificationHook], of resources: [String] = ["posts"]) async throws -> [String] {
            try await bench.notifier(hooks, of: resources).notify()
            return try bench.taken()
        }
        let hook = NotifyBench.hook()
        try await bench.run(.failed, error: "403")
        #expect(try await taken([hook]) == ["failed posts"])
        // Another config over the same file, without hooks and without the resource, changes nothing.
        try await bench.run(.saved)
        #expect(try await taken([], of: ["others"]) == [])
        #expect(try await bench.store.incidents().map(\.endedAt) == [nil])
        #expect(try await taken([]) == [])
        #expect(try await taken([hook]) == ["recovered failed posts"])

        try await bench.run(.failed, error: "403")
        #expect(try await taken([hook]) == ["failed posts"])
        try await bench.run(.saved)
        #expect(try await taken([]) == [])
        try await bench.run(.failed, error: "500")
        #expect(try await taken([]) == [])
        #expect(try await taken([hook]) == ["failed posts"])
        #expect(try await taken([hook]) == [])
    }

    @Test func `more than twenty notifications at once are summed up`() async throws {
        let bench = try await NotifyBench()
        let names = (1...50).map { "resource\($0)" }
        for name in names { try await bench.run(.failed, of: name, error: "403") }
        try await bench.notifier(of: names).notify()
        let bodies = bench.receiver.take().map(\.body)
        #expect(bodies.count == 21)
        let last = try SentEvent(try #require(bodies.last))
        #expect(last.event == "summary")
        #expect(last.message == "30 more: 30 failed")
        try await bench.notifier(of: names).notify()
        #expect(try bench.taken() == [])
    }

    @Test func `of two processes that look at once one notifies`() async throws {
        let bench = try await NotifyBench()
        let other = try await Store.open(at: bench.store.path, clock: bench.time.clock)
        try await bench.run(.failed, error: "403")
        // The second looks while the first waits for the hook.
        bench.receiver.arriving.withLock { arriving in
            arriving = { _ in
                _ = try? await bench.notifier(over: other).notify()
            }
        }
        try await bench.notifier().notify()
        #expect(try bench.taken() == ["failed posts"])
        await other.close()
        let count = 8
        try await bench.run(.saved)
        bench.receiver.arriving.withLock { $0 = { _ in } }
        try await withThrowingTaskGroup { group in
            for _ in 1...count { group.addTask { _ = try await bench.notifier().notify() } }
            try await group.waitForAll()
        }
        #expect(try bench.taken() == ["recovered failed posts"])
    }

    @Test func `a hook that was called by a process that died before it stored that is called again`() async throws {
        let bench = try await NotifyBench()
        try await bench.run(.failed, error: "403")
        let dying = try await Store.open(at: bench.store.path, clock: bench.time.clock)
        bench.receiver.arriving.withLock { $0 = { _ in await dying.close() } }
        await #expect(throws: StoreError.self) { try await bench.notifier(over: dying).notify() }
        #expect(try bench.taken() == ["failed posts"])
        bench.receiver.arriving.withLock { $0 = { _ in } }
        try await bench.notifier().notify()
        #expect(try bench.taken() == ["failed posts"])
        try await bench.notifier().notify()
        #expect(try bench.taken() == [])
    }

    @Test func `where no request may be sent, URLs and pings wait for the next run`() async throws {
        let bench = try await NotifyBench()
        try await bench.run(.failed, error: "403")
        let ping = NotificationHook(.ping(Secret(plain: "http://127.0.0.1:1/ping", "ping")))
        let offline = bench.notifier([NotifyBench.hook(), ping], transports: .some(nil))
        await offline.begin()
        await offline.end()
        #expect(bench.receiver.take().isEmpty)
        #expect(bench.reported == [])
        try await bench.notifier().notify()
        #expect(try bench.taken() == ["failed posts"])
    }

    @Test func `a run is pinged at its beginning, and at its end with what is wrong`() async throws {
        let bench = try await NotifyBench()
        var ping = NotificationHook(.ping(Secret(plain: "http://127.0.0.1:1/ping/uuid/?a=b", "ping")))
        func pings(failure: String? = nil) async -> [String] {
            let notifier = bench.notifier([ping])
            await notifier.begin()
            await notifier.end(failure: failure)
            return bench.receiver.take().map { "\($0.request.path ?? "") \(String(decoding: $0.body, as: UTF8.self))" }
        }
        try await bench.run(.saved)
        #expect(await pings() == ["/ping/uuid/start?a=b ", "/ping/uuid?a=b "])
        try await bench.run(.failed, error: "the origin answered 403")
        let failed = "/ping/uuid/fail?a=b 'posts' fails: the origin answered 403"
        #expect(await pings() == ["/ping/uuid/start?a=b ", failed])
        #expect(await pings() == ["/ping/uuid/start?a=b ", failed])
        ping.events = [.parked]
        #expect(await pings().last == "/ping/uuid?a=b ")
        #expect(await pings(failure: "the disk is full").last == "/ping/uuid/fail?a=b the disk is full")
    }
}

/// Transports by the authority of a request.
struct ByPort: TransportFactory {
    private let transports: [String: ScriptedTransports]

    init(_ transports: [String: ScriptedTransports]) {
        self.transports = transports
    }

    func transport(for account: String, _ settings: TransportSettings) -> any Transport {
        Router(transports: transports.mapValues { $0.transport(for: account, settings) })
    }

    private struct Router: Transport {
        let transports: [String: any Transport]

        func send(_ request: HTTPRequest, body: EncodedBody) async throws(Failure) -> Reply {
            guard let transport = transports[request.authority ?? ""] else {
                throw Failure(.internalFault, phase: .notSent)
            }
            return try await transport.send(request, body: body)
        }
    }
}
