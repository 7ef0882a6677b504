// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import SidingChain
import SidingCredentials
import SidingInspection
import SidingSynchronization
import SidingTesting
import Testing

@testable import Siding
@testable import SidingNotifications

/// A store whose conditions a test makes, and a hook that keeps what it is notified of.
final class NotifyBench: Sendable {
    let directory: TemporaryDirectory
    let time = ManualWallClock()
    let store: Store
    /// What the resource's origin answers next.
    let origin: ScriptedTransports
    /// What receives the requests of hooks.
    let receiver: ScriptedTransports
    private let reports = Mutex<[String]>([])
    /// The messages about hooks that failed.
    var reported: [String] { reports.withLock { $0 } }
    let resource: AnyResource

    static let address = "http://127.0.0.1:1/hook"

    init() async throws {
        directory = try TemporaryDirectory()
        store = try await Store.open(at: directory.path(of: "store.db"), durability: .normal, clock: time.clock)
        (origin, receiver) = (ScriptedTransports(), ScriptedTransports())
        var source = Source(name: "blog", baseURL: try HTTPURL("https://api.example.org"))
        source.retry = RetryPolicy(retries: 0)
        resource = AnyResource("posts", from: source, at: "/posts", key: "id")
    }

    // MARK: Conditions

    /// Syncs the resource against an origin that answers so.
    func sync(_ answer: ScriptedAnswer) async throws {
        origin.answer.withLock { $0 = answer }
        // As a person's own sync would: what was learnt of the line does not matter here.
        try await store.openGate(ofSource: "blog")
        let engine = SyncEngine(
            store: store, transports: origin,
            environment: RuntimeEnvironment(
                connectivity: TestConnectivity(), jitter: .none, clock: ManualClock(), wallClock: time.clock))
        _ = try await engine.run([resource], options: SyncOptions(), command: "sync posts") { _ in }
    }

    /// Stores a run of a resource, without a sync.
    func run(
        _ outcome: RunOutcome, of name: String = "posts", error: String? = nil, blocked: Int = 0
    ) async throws {
        let run = try await store.beginRun(command: "sync \(name)")
        var result = RunResource(resource: name, outcome: outcome)
        result.counters.deletionsBlocked = blocked
        result.error = error.map { RecordedError(name: "test", message: $0) }
        try await store.endResource(result, in: run)
        try await store.endRun(run, outcome: outcome)
    }

    @discardableResult
    func enqueue(expiry: Duration? = nil) async throws -> QueueEntry {
        try await store.enqueue(
            WriteRequest(to: "blog", .post, HTTPURL("https://api.example.org/posts"), body: []).with(\.expiry, expiry))
    }

    // MARK: Notifications

    static func hook(_ address: String = address) -> NotificationHook {
        NotificationHook(.url(Secret(plain: address, "url"), headers: []))
    }

    func notifier(
        _ hooks: [NotificationHook] = [hook()], of resources: [String] = ["posts"], _ targets: [PublishedTarget] = [],
        over store: Store? = nil, transports: (any TransportFactory)?? = .none,
        clock: any Clock<Duration> = ManualClock()
    ) -> Notifier {
        Notifier(
            hooks: hooks, resources: resources, targets: targets, store: store ?? self.store,
            call: HookCall(
                transports: transports ?? receiver, clock: clock, variables: ["PATH": "/usr/bin:/bin", "TOKEN": "x"]),
            wallClock: time.clock, host: "kiosk"
        ) { message in self.reports.withLock { $0.append(message) } }
    }

    /// What the hooks took since the last call: `failed posts`, `recovered failed posts`.
    func taken() throws -> [String] {
        try receiver.take().map { request in
            let event = try SentEvent(request.body)
            let words = [event.event == event.kind ? nil : event.event, event.kind, event.subject]
            return words.compactMap(\.self).joined(separator: " ")
        }
    }
}

/// The JSON that a hook is given.
struct SentEvent: Decodable {
    var event: String
    var kind, subject, since, ended_at, message, host, hint, text: String?
    var count, seconds: Int?

    init(_ bytes: [UInt8]) throws { self = try JSONDecoder().decode(SentEvent.self, from: Data(bytes)) }
}

/// Transports without a network that answer as a test says, and keep the requests.
final class ScriptedTransports: TransportFactory {
    let answer = Mutex(ScriptedAnswer.status(.ok))
    private let log = Mutex<[ScriptedTransport.Request]>([])
    /// Called with each request before it is answered.
    let arriving = Mutex<@Sendable (ScriptedTransport.Request) async -> Void>({ _ in })

    func transport(for account: String, _ settings: TransportSettings) -> any Transport {
        ScriptedTransport { request in
            await self.arriving.withLock { $0 }(request)
            self.log.withLock { $0.append(request) }
            return self.answer.withLock { $0 }
        }
    }

    /// The requests since the last call.
    func take() -> [ScriptedTransport.Request] {
        log.withLock { log in
            defer { log = [] }
            return log
        }
    }
}
