// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import Testing

@testable import Siding
@testable import SidingTesting

/// A store with writes in it, an origin that answers as scripted, and a sender between them.
struct WriteBench {
    let directory: TemporaryDirectory
    let time = ManualWallClock()
    let store: Store
    let origin = ScriptedOrigin()
    let connectivity = TestConnectivity()
    var sources: [Source]

    static let keyed = Idempotency()

    init(sources names: [String] = ["api"], concurrency: Int = 4) async throws {
        directory = try TemporaryDirectory()
        store = try await Store.open(at: "\(directory.path)/test.db", clock: time.clock, jitter: Jitter { 1 })
        sources = try names.map { name in
            var settings = TransportSettings()
            settings.concurrency = concurrency
            return Source(
                name: name, baseURL: try HTTPURL("https://\(name).test"), transport: settings,
                retry: RetryPolicy(retries: 0))
        }
    }

    /// Another process on the same file, as far as the store can tell.
    func another() async throws -> Store {
        try await Store.open(at: store.path, clock: time.clock, jitter: Jitter { 1 })
    }

    func sender(over store: Store? = nil) -> WriteSender {
        WriteSender(
            store: store ?? self.store, sources: sources, transports: origin,
            environment: RuntimeEnvironment(
                connectivity: connectivity, jitter: Jitter { 1 }, clock: ManualClock(), wallClock: time.clock))
    }

    @discardableResult
    func enqueue(
        _ path: String, to source: String = "api", _ method: HTTPRequest.Method = .post, lane: String? = nil,
        after: [String] = [], key: String? = nil, idempotency: Idempotency? = keyed, expiry: Duration? = nil,
        body: String = "{}"
    ) async throws -> QueueEntry {
        var write = WriteRequest(
            to: source, method, try HTTPURL("https://\(source).test\(path)"), body: Array(body.utf8),
            idempotency: idempotency)
        (write.lane, write.after, write.key, write.expiry) = (lane, after, key, expiry)
        return try await store.enqueue(write)
    }

    func claim(_ store: Store? = nil, entry: String? = nil) async throws -> ClaimedWrite? {
        let limits = Dictionary(uniqueKeysWithValues: sources.map { ($0.name, $0.transport.concurrency) })
        return try await (store ?? self.store).claim(ClaimRequest(sources: limits, entry: entry))
    }

    func deliver(_ write: ClaimedWrite, outcome: SourceOutcome = .answers) async throws {
        let answer = WriteAnswer(status: 201, contentType: nil, body: [])
        #expect(try await store.recordResult(write, WriteResult(.delivered(answer), outcome)) != nil)
    }

    /// Settles `write` as failed, to be tried again after `wait`.
    func fail(
        _ write: ClaimedWrite, _ outcome: SourceOutcome = .nothing, counted: Bool = true, wait: Duration = .zero,
        phase: Failure.Phase = .notSent, waitsForNetwork: Bool = false
    ) async throws {
        let error = RecordedError(name: "timeout", message: "it took too long", phase: phase.rawValue)
        let transition = WriteResult.Transition.retry(error, isCounted: counted, waitsForNetwork: waitsForNetwork) {
            _ in
            wait
        }
        #expect(try await store.recordResult(write, WriteResult(transition, outcome)) != nil)
    }

    /// Settles `write` as refused for want of a sign-in.
    func refuse(_ write: ClaimedWrite) async throws {
        let error = RecordedError(name: "unauthorized", message: "401")
        let result = WriteResult(.parked(.signIn, error, nil), .signIn(note: "401"))
        #expect(try await store.recordResult(write, result) != nil)
    }

    func entry(_ id: String) async throws -> QueueEntry {
        try #require(try await store.entries(QueueSelection(ids: [id])).first)
    }

    func events(_ id: String) async throws -> [String] { try await store.history(of: id).map(\.event.rawValue) }
}
