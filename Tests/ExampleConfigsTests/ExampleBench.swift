// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Siding
import SidingChain
import SidingManifest
import SidingSQLite
import SidingTesting
import Testing

/// One example on its tape: the config as `siding init` writes it, a real SQLite file, and no network.
struct ExampleBench {
    let config: Config
    /// It is noon on 22 November 2026, in UTC.
    let wall = ManualWallClock(Timestamp(secondsSince1970: 1_795_348_800))
    let transport: WatchedTransport
    private let directory: TemporaryDirectory
    private let store: Store
    private let siding: Siding

    /// - Parameter secrets: the environment variables that the config names.
    init(_ name: String, secrets: [String: String] = [:]) async throws {
        directory = try TemporaryDirectory()
        let example = try #require(ExampleConfig.named(name))
        let place = directory.path
        config = try Config.parse(
            example.text, file: directory.path(of: "siding.yaml"),
            environment: ConfigEnvironment(variables: secrets, workingDirectory: place))
        #expect(await config.secretFaults() == [])
        transport = WatchedTransport(try Tape(contentsOf: Self.tape(name)))
        store = try await Store.open(at: directory.path(of: "siding.db"), clock: wall.clock)
        siding = try await Siding(
            store: .store(store), resources: config.resources, sources: config.sources, transports: transport,
            environment: RuntimeEnvironment(connectivity: TestConnectivity(), wallClock: wall.clock))
    }

    static let tapes = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Tapes")

    static func tape(_ name: String) -> String { tapes.appending(path: "\(name).json").path }

    // MARK: Doing

    /// Syncs one resource.
    @discardableResult
    func sync(_ name: String) async throws -> SyncReport {
        var resource = try #require(config.resources.first { $0.name == name })
        // What a run makes of a failure, without the patience that it has inside.
        resource.source.retry.retries = 0
        let engine = SyncEngine(
            store: store, transports: transport,
            environment: RuntimeEnvironment(
                connectivity: TestConnectivity(), jitter: .none, clock: ManualClock(), wallClock: wall.clock))
        return try await engine.sync(resource)
    }

    /// Sends what `writes:` declares, as `siding send` does.
    func send(_ name: String, _ verb: WriteDeclaration.Verb, id: String? = nil, _ body: String) async throws
        -> QueueEntry
    {
        try await siding.send(request(name, verb, id: id, body))
    }

    /// Keeps a write as `siding send --no-send` does.
    @discardableResult
    func accept(_ name: String, _ verb: WriteDeclaration.Verb, id: String? = nil, _ body: String) async throws
        -> QueueEntry
    {
        try await store.enqueue(request(name, verb, id: id, body))
    }

    /// Sends what is due.
    func drain() async throws -> [QueueEntry] { try await siding.drain() }

    private func request(
        _ name: String, _ verb: WriteDeclaration.Verb, id: String?, _ body: String
    ) throws -> WriteRequest {
        let declaration = try #require(config.writes.first { $0.name == name })
        let fields: HTTPFields = [.contentType: "application/json"]
        return try declaration.request(verb, id: id, headerFields: fields, body: Array(body.utf8))
    }

    func send(_ write: WriteRequest) async throws -> QueueEntry { try await siding.send(write) }

    // MARK: Seeing

    /// The rows of a statement as `siding query` reads them, the values of each between bars.
    func rows(_ sql: String) async throws -> [String] {
        let rows = Rows()
        try await Inspection(of: directory.path(of: "siding.db")).run(SQL(verbatim: sql), columns: { _ in }) { row in
            rows.add(row)
        }
        return rows.lines
    }

    func cursor(_ resource: String) async throws -> String? { try await store.cursor(of: resource)?.value }

    func entries() async throws -> [QueueEntry] { try await store.entries(QueueSelection()) }

    /// What was asked since the last look: method and URL.
    func asked() -> [String] { transport.takeRequests().map(WatchedTransport.line) }
}

/// Gathers rows that come one by one.
private final class Rows: @unchecked Sendable {
    // Filled by one inspection, and read when that is over.
    private(set) var lines: [String] = []

    func add(_ row: [SQLiteValue]) {
        let cells = row.map { value in
            switch value {
            case .null: "-"
            case .integer(let number): "\(number)"
            case .real(let number): "\(number)"
            case .text(let text): text
            case .blob(let bytes): "\(bytes.count) bytes"
            }
        }
        lines.append(cells.joined(separator: "|"))
    }
}
