// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingSQLite
import Testing

@testable import Siding
@testable import SidingTesting

/// A SQLite store with a resource called `posts`, and everything that happens to a write there.
struct EditBench {
    let sqlite: FileBench
    let store: Store

    init() async throws {
        sqlite = try await FileBench()
        store = try sqlite.store
    }

    /// One whose listing has shown the record `json`.
    init(listing json: String) async throws {
        try await self.init()
        try await pull("[\(json)]")
    }

    var time: ManualWallClock { sqlite.bench.time }

    static func url(_ path: String) throws -> HTTPURL { try HTTPURL("https://api.example.org\(path)") }

    // MARK: Writes

    @discardableResult
    func send(
        _ method: HTTPRequest.Method = .post, _ path: String = "/posts", _ body: String? = nil, lane: String? = nil,
        after: [String] = [], key: String? = nil, fields: HTTPFields = [:]
    ) async throws -> QueueEntry {
        var write = WriteRequest(
            to: "blog", method, try Self.url(path), headerFields: fields, body: body.map { Array($0.utf8) })
        (write.lane, write.after, write.key) = (lane, after, key)
        return try await store.enqueue(write)
    }

    /// Takes the next write of the source in hand; or this one.
    ///
    /// - Parameter knowsRecord: whether the record was just asked for.
    func claim(_ entry: String? = nil, knowsRecord: Bool = false) async throws -> ClaimedWrite? {
        var request = ClaimRequest(sources: ["blog": 99], entry: entry, passesGates: true)
        request.knowsRecord = knowsRecord
        return try await store.claim(request)
    }

    @discardableResult
    func recordResult(_ write: ClaimedWrite, _ transition: WriteResult.Transition) async throws -> QueueEntry {
        try #require(try await store.recordResult(write, WriteResult(transition, .nothing)))
    }

    /// Claims this entry and settles it.
    @discardableResult
    func recordResult(_ entry: QueueEntry, _ transition: WriteResult.Transition) async throws -> QueueEntry {
        try await recordResult(try #require(try await claim(entry.id)), transition)
    }

    @discardableResult
    func deliver(_ entry: QueueEntry, _ answer: String = "", status: Int = 200) async throws -> QueueEntry {
        try await recordResult(entry, .answered(answer, status: status))
    }

    @discardableResult
    func drop(_ entry: QueueEntry) async throws -> QueueChange {
        try #require(try await store.perform(.drop, on: QueueSelection(ids: [entry.id])).first)
    }

    /// A sender to the origin that `transports` lead to, which tries nothing twice within a claim.
    func sender(over transports: any TransportFactory) throws -> WriteSender {
        var source = try Self.posts().source
        source.retry = RetryPolicy(retries: 0)
        return WriteSender(
            store: store, sources: [source], transports: transports,
            environment: RuntimeEnvironment(
                connectivity: TestConnectivity(), jitter: Jitter { 1 }, wallClock: time.clock))
    }

    // MARK: What is there

    func entry(_ id: String) async throws -> QueueEntry {
        try #require(try await store.entries(QueueSelection(ids: [id])).first)
    }

    func waiting() async throws -> [QueueEntry] { try await store.entries(QueueSelection()) }

    func events(_ entry: QueueEntry) async throws -> [String] {
        try await store.history(of: entry.id).map(\.event.rawValue)
    }

    /// No rule between rows is broken.
    func expectSound(_ location: SourceLocation = #_sourceLocation) async throws {
        #expect(try await store.check() == [], sourceLocation: location)
    }
}

extension Store {
    func replace(_ entry: String, with change: WriteChange) async throws(StoreError) -> QueueEntry {
        try await act(.replace(change), on: entry)
    }

    func resolve(_ entry: String, as resolution: ConflictResolution) async throws(StoreError) -> QueueEntry {
        try await act(.resolve(resolution), on: entry)
    }

    /// - Returns: nil where this sender no longer owned the entry.
    @discardableResult
    func recordResult(_ write: ClaimedWrite, _ result: WriteResult) async throws(StoreError) -> QueueEntry? {
        try await recordResult(write, result, claiming: nil).entry
    }

    /// A refusal is an error.
    private func act(_ action: OperatorAction, on entry: String) async throws(StoreError) -> QueueEntry {
        guard let change = try await carryOut(action, on: QueueSelection(ids: [entry])).first else {
            throw StoreError(.notFound, "no queue entry begins with '\(entry)'")
        }
        guard let refusal = change.refusal else { return change.entry }
        throw StoreError(.invalidWrite, refusal, hint: change.hint)
    }
}

extension WriteResult.Transition {
    static func answered(_ body: String, status: Int = 200) -> Self {
        .delivered(WriteAnswer(status: status, contentType: "application/json", body: Array(body.utf8)))
    }

    static func parked(_ reason: ParkReason, status: Int = 422, answer: String? = nil) -> Self {
        .parked(
            reason,
            RecordedError(name: "http", message: "the origin said \(status)", status: status, phase: "answered"),
            answer.map { WriteAnswer(status: status, contentType: "application/json", body: Array($0.utf8)) })
    }
}

extension ClaimedWrite {
    var text: String? { body.map { String(decoding: $0, as: UTF8.self) } }
}

// MARK: - Edits

extension EditBench {
    static func posts(key: String = "id") throws -> AnyResource {
        let source = Source(name: "blog", baseURL: try HTTPURL("https://api.example.org"))
        return AnyResource("posts", from: source, at: "/posts", key: key)
    }

    /// Accepts a write that does something to a post.
    @discardableResult
    func edit(
        _ change: WriteEdit.Change, _ key: String? = nil, _ body: String? = nil, lane: String? = nil,
        after: [String] = [], named: String? = nil, fields: HTTPFields = [:],
        _ adjust: (inout WriteEdit) -> Void = { _ in }
    ) async throws -> QueueEntry {
        var edit = WriteEdit(change, of: try Self.posts(), key: key)
        adjust(&edit)
        let method: HTTPRequest.Method =
            switch change {
            case .create: .post
            case .replace: .put
            case .merge: .patch
            case .delete: .delete
            }
        var write = WriteRequest(
            to: "blog", method, try Self.url(key.map { "/posts/\($0)" } ?? "/posts"), headerFields: fields,
            body: body.map { Array($0.utf8) })
        (write.lane, write.after, write.key, write.edit) = (lane, after, named, edit)
        return try await store.enqueue(write)
    }

    /// A pull brings these records.
    @discardableResult
    func pull(_ json: String) async throws -> RunCounters { try await sqlite.commit(json) }

    /// The body that shows; nil where no living record does.
    func shown(_ key: String) async throws -> String? {
        guard let record = try await store.record(of: "posts", key: key), record.deletedAt == nil else { return nil }
        return String(decoding: record.body, as: UTF8.self)
    }

    func pending(_ key: String) async throws -> Int? { try await store.record(of: "posts", key: key)?.pending }

    func bases() async throws -> [[String?]] {
        try await sqlite.rows("SELECT key, body FROM siding_server_copies ORDER BY key")
    }
}
