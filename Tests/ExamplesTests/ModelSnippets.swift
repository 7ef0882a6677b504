// SPDX-License-Identifier: Apache-2.0
import SidingKit
import SidingSynchronization
import SidingTesting
import Testing

/// The snippets of Docs/Chains.md about models and tests, word for word.
struct ModelSnippets {
    typealias Issue = ChainsSnippets.Issue

    let base: String
    let path: String

    func typedResource() async throws -> [RowOutcome<Issue>] {
        var resource = try Resource<Issue>(
            "issues", from: Source(baseURL: base), at: "/issues", key: \.id, paging: .linkHeader,
            searchable: [\.title])
        resource.version = .by(\.version)  // and what is rarer, such as resource.untyped.maxAge = .seconds(600)
        let siding = try await Siding(store: .sqlite(path: path), resources: [resource], transports: HTTPTransports())
        try await siding.sync(resource)
        let busy = try await siding.records(of: resource).where(\.state == "open" && \.comments > 3)
            .sorted(by: \.comments, .descending).limit(20).array()
        let found = try await siding.search("broken gate", in: resource, limit: 10).map(\.model)
        let outcomes = try await siding.upsert(
            busy, to: resource,
            onConflict: .merge(with: { stored, incoming in
                var merged = incoming
                merged.comments = max(stored.comments, incoming.comments)
                return merged
            }))  // .inserted .updated .unchanged .skipped(.stale) .conflict(stored:) .invalid(…)
        try await siding.deleteLocally(where: \.state == "closed", from: resource)
        #expect(found.map(\.title) == ["broken gate"])
        await siding.close()
        return outcomes
    }

    func changes(_ siding: Siding, _ resource: Resource<Issue>, _ began: Promise<Void>) async throws {
        began.resolve(())
        for try await event in siding.changes(of: resource, where: \.state == "open") {  // other processes' commits too
            switch event {
            case .snapshot(let issues): print(issues.count)
            case .changes(let changes): print(changes.inserted.count, changes.updated.count, changes.deleted)
            }
        }
    }

    func script() async throws {
        let script = ScriptedTransport([.failure(Failure(.connectionLost, phase: .maybeSent)), .text("[]")])
        let scripted = try URLChainBuilder(baseURL: "http://a/v2", transport: script)
            .with(\.assembly.clock, ManualClock())  // nothing sleeps unless the test says so
        let none: Chain<Void, [Issue]> = scripted.route(.get, "/issues").build()
        await #expect(throws: Failure.self) { try await none() }
        #expect(try await none().isEmpty && script.requests.map(\.request.path) == ["/v2/issues", "/v2/issues"])
    }

    func tape() async throws {
        let recorder = RecordingTransport(HTTPTransport())  // once, against the origin
        let live = try URLChainBuilder(baseURL: base, transport: recorder)
        let issues: Chain<Void, [Issue]> = live.route(.get, "/issues").build()
        let count = try await issues().count
        try recorder.save(to: path)  // secrets scrubbed
        let tape = ReplayingTransport(try Tape(contentsOf: path), order: .strict)
        let replay = try URLChainBuilder(baseURL: base, transport: tape)
        let replayed: Chain<Void, [Issue]> = replay.route(.get, "/issues").build()
        #expect(try await replayed().count == count)
        #expect(tape.unused.isEmpty)
    }
}
