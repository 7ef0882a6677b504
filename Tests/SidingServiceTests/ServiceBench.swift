// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingInspection
import SidingSynchronization
import SidingTesting
import Testing

@testable import Siding
@testable import SidingService

/// A store as some syncs and writes leave it, for pages without a server and for services over real sockets.
struct ServiceBench: Sendable {
    let directory: TemporaryDirectory
    let time = ManualWallClock()
    /// Drives the event streams.
    let clock = ManualClock()
    let origin = NotesOrigin()
    let siding: Siding
    let notes: AnyResource
    let pages: WebPages
    let targets: [PublishedTarget]
    var store: Store { siding.store }

    init(targets: [PublishedTarget] = []) async throws {
        self.targets = targets
        directory = try TemporaryDirectory()
        let source = Source(name: "desk", baseURL: try HTTPURL("https://desk.test"), retry: RetryPolicy(retries: 0))
        var notes = AnyResource("notes", from: source, at: "/notes", key: "id")
        notes.schema = RecordSchema(contract: RecordContract(typeChange: .quarantine), history: HistoryRetention())
        notes.maxAge = .seconds(3_600)
        self.notes = notes
        let siding = try await Siding(
            store: .sqlite(path: directory.path(of: "test.db")), resources: [notes], transports: origin,
            environment: RuntimeEnvironment(connectivity: TestConnectivity(), clock: clock, wallClock: time.clock))
        self.siding = siding
        pages = try WebPages(
            ServedStore(
                store: siding.store, resources: { siding.resources }, wallClock: time.clock, targets: { targets }))
    }

    // MARK: Syncs

    /// Syncs the listing `page`, and lets a minute pass.
    func sync(_ page: String) async throws {
        origin.set(page)
        _ = try? await siding.sync(notes)
        time.advance(by: .seconds(60))
    }

    /// Two runs: a record that changed, one that did not, a new one, and one in quarantine.
    func syncTwice() async throws {
        try await sync(#"[{"id":"a","title":"first"},{"id":"b","title":"two words"}]"#)
        try await sync(
            #"[{"id":"a","title":"changed"},{"id":"b","title":"two words"},"#
                + #"{"id":"c","title":"third"},{"id":"d","title":7}]"#)
    }

    // MARK: Writes

    @discardableResult
    func write(
        _ body: String = #"{"a":1}"#, to path: String = "/notes", fields: HTTPFields = [:]
    ) async throws -> QueueEntry {
        try await store.enqueue(
            WriteRequest(
                to: "desk", .post, try HTTPURL("https://desk.test\(path)"), headerFields: fields,
                body: Array(body.utf8)))
    }

    /// A write that changes the title of a record.
    func edit(_ key: String, _ title: String) async throws -> QueueEntry {
        let edit = WriteEdit(.merge, of: notes, key: key)
        return try await store.enqueue(
            WriteRequest(
                to: "desk", .patch, try HTTPURL("https://desk.test/notes/\(key)"),
                body: Array(#"{"title":"\#(title)"}"#.utf8)
            )
            .with(\.edit, edit))
    }

    /// Parks `entry` as the origin's answer would.
    func park(_ entry: QueueEntry, _ reason: ParkReason, status: Int = 409, answer: String? = nil) async throws {
        let request = ClaimRequest(sources: ["desk": 99], entry: entry.id, passesGates: true)
        let claimed = try #require(try await store.claim(request))
        let error = RecordedError(name: "http", message: "the origin answered \(status)", status: status)
        let body = answer.map { WriteAnswer(status: status, contentType: "text/html", body: Array($0.utf8)) }
        let result = WriteResult(.parked(reason, error, body), .nothing)
        _ = try await store.recordResult(claimed, result, claiming: nil)
    }

    func entry(_ id: String) async throws -> QueueEntry {
        try #require(try await store.entries(QueueSelection(ids: [id])).first)
    }

    func history(_ id: String) async throws -> [QueueEvent] { try await store.history(of: id) }
}

/// Answers every listing with what was set last, a page or a failure, and every write with 201.
final class NotesOrigin: TransportFactory {
    private let answer = Mutex(ScriptedAnswer.text("[]"))

    func set(_ page: String) { set(.text(page)) }
    func set(_ answer: ScriptedAnswer) { self.answer.withLock { $0 = answer } }

    func transport(for account: String, _ settings: TransportSettings) -> any Transport {
        ScriptedTransport { [self] asked in
            asked.request.method == .get ? answer.withLock { $0 } : .text(#"{"id":"z"}"#, status: .created)
        }
    }
}
