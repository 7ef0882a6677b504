// SPDX-License-Identifier: Apache-2.0
import SidingKit
import SidingOrigin
import SidingTesting
import Testing

/// Steps over a store, whose records come from an origin and whose writes reach it.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct VocabularyStoreTests {
    struct Draft: Codable, Sendable { var title: String, state: String }
    struct Ticket: Codable, Sendable, Equatable { var id: Int, title: String, state: String }

    /// An origin with four tickets, and a program with a copy of them.
    private struct Tracker {
        let origin: Origin
        let path: String
        let tickets: Resource<Ticket>
        let siding: Siding
        /// Fetches all tickets in one page, without the store.
        let fetch: Chain<Void, [Ticket]>

        /// Another program on the same file.
        func otherProgram() async throws -> Siding {
            try await Siding(store: .sqlite(path: path), resources: [tickets], transports: HTTPTransports())
        }
    }

    /// In another order than models are written, and with spaces.
    private static let records = [
        #"{"title": "Broken gate", "state": "open", "id": 1}"#, #"{"title": "Lamp", "state": "closed", "id": 2}"#,
        #"{"title": "Gate lock", "state": "open", "id": 3}"#, #"{"title": "Fence", "state": "open", "id": 4}"#,
    ]

    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// Runs `body`, and ends the origin and the program whatever happens.
    private func tracking(_ body: (Tracker) async throws -> Void) async throws {
        let dataset = Dataset(
            Self.records.enumerated().map { Dataset.Record(key: String($0.offset + 1), json: $0.element) })
        let origin = try await Origin.start(routes: [
            RecordListing("/tickets", of: dataset, paging: .link, pageSize: 2),
            RecordWrites("/tickets", to: dataset, firstID: 100),
        ])
        let (base, path) = (origin.url.origin, directory.path(of: "tickets.db"))
        let tickets = try Resource<Ticket>(
            "tickets", from: Source(baseURL: base), at: "/tickets", key: \.id, paging: .linkHeader,
            searchable: [\.title])
        let siding = try await Siding(
            store: .sqlite(path: path), resources: [tickets], transports: HTTPTransports())
        let fetch: Chain<Void, [Ticket]> = try URLChainBuilder(baseURL: base).route(.get, "/tickets")
            .set(query: ["limit": 10]).build()
        do {
            try await body(Tracker(origin: origin, path: path, tickets: tickets, siding: siding, fetch: fetch))
        } catch {
            Issue.record(error)
        }
        await siding.close()
        await origin.stop()
    }

    @Test func `a fetch and a save are two steps, and what equals the stored models is unchanged`() async throws {
        try await tracking { (tracker: Tracker) async throws in
            let (siding, tickets) = (tracker.siding, tracker.tickets)
            let line = Railway(RequestStep(tracker.fetch)).then(RequestStep(SaveRecordsStep(to: tickets, in: siding)))
            #expect(try await line.outcome().get() == [.inserted, .inserted, .inserted, .inserted])
            #expect(tracker.origin.requests.map(\.target) == ["/tickets?limit=10"])
            try await siding.sync(tickets)
            #expect(try await line.outcome().get() == [.unchanged, .unchanged, .unchanged, .unchanged])
            let stored = try await siding.records(of: tickets).array()
            #expect(stored.map(\.id) == [1, 2, 3, 4])
            #expect(stored.first == Ticket(id: 1, title: "Broken gate", state: "open"))
        }
    }

    @Test func `a conflict with a stored model is a value`() async throws {
        try await tracking { (tracker: Tracker) async throws in
            let (siding, tickets) = (tracker.siding, tracker.tickets)
            let mine = Ticket(id: 2, title: "Mine", state: "closed")
            try await siding.save(mine, to: tickets)
            let upsert = tracker.fetch.then(UpsertRecordsStep(to: tickets, in: siding, onConflict: .error))
            let outcomes = try await upsert.outcome().get()
            #expect(outcomes == [.inserted, .conflict(stored: mine), .inserted, .inserted])
            #expect(try await siding.record(of: tickets, key: 2) == mine)
        }
    }

    @Test func `a line whose fetch fails saves nothing, and reads the stored models after all`() async throws {
        try await tracking { (tracker: Tracker) async throws in
            let (siding, tickets) = (tracker.siding, tracker.tickets)
            let save = RequestStep(SaveRecordsStep(to: tickets, in: siding))
            let line = Railway(RequestStep(tracker.fetch)).then(save)
            tracker.origin.inject(.status(500))
            let failure = await #expect(throws: Failure.self) { try await line.outcome().get() }
            #expect(failure?.status == 500)
            #expect(try await siding.records(of: tickets).count() == 0)
            try await siding.sync(tickets)
            await tracker.origin.stop()
            let stored = FetchRecordsStep { (_: Void) in siding.records(of: tickets).where(\.state == "open") }
            let reading = line.then(
                RequestStep(
                    RequestGenerator<[RowOutcome<Ticket>], Void>.onSuccess { _ in }
                        .recovering(where: { $0.status == nil }) { _ in }, stored))
            #expect(try await reading.outcome().get().map(\.id) == [1, 3, 4])
        }
    }

    @Test func `the steps of a store select, sort, cut, search and delete, and send nothing`() async throws {
        try await tracking { (tracker: Tracker) async throws in
            let (siding, tickets) = (tracker.siding, tracker.tickets)
            try await siding.sync(tickets)
            let requests = tracker.origin.requests
            #expect(requests.map(\.path) == ["/tickets", "/tickets"])
            let open = FetchRecordsStep { (state: String) in
                siding.records(of: tickets).where(\.state == state).sorted(by: \.id, .descending).limit(2).offset(1)
            }
            #expect(try await open.outcome(of: "open").get().map(\.id) == [3, 1])
            let search = SearchRecordsStep(in: tickets, of: siding)
            #expect(try await search.outcome(of: .words("gate")).get().map(\.key).sorted() == ["1", "3"])
            let byKey = DeleteRecordsStep(from: tickets, in: siding)
            #expect(try await byKey.outcome(of: ["1", "7"]).get() == 1)
            let byState = DeleteRecordsStep<String, Ticket>(from: tickets, in: siding) { state in \.state == state }
            #expect(try await byState.outcome(of: "closed").get() == 1)
            #expect(try await siding.records(of: tickets).array().map(\.id) == [3, 4])
            #expect(tracker.origin.requests.count == requests.count)
        }
    }

    @Test func `the stream of changes shows a sync of another program, and own writes as the origin answers them`()
        async throws
    {
        try await tracking { (tracker: Tracker) async throws in
            let (siding, tickets) = (tracker.siding, tracker.tickets)
            var events = siding.changes(of: tickets).makeAsyncIterator()
            #expect(try await events.next()?.models == [])
            let other = try await tracker.otherProgram()
            try await other.sync(tickets)
            #expect(try await events.next()?.difference?.inserted.map(\.id).sorted() == [1, 2, 3, 4])
            await other.close()

            try await siding.create(Draft(title: "New", state: "open"), in: tickets)
            let created = Ticket(id: 100, title: "New", state: "open")
            #expect(try await events.next()?.difference?.inserted == [created])
            try await siding.update(key: 2, with: Ticket(id: 2, title: "Lamp", state: "open"), in: tickets)
            #expect(try await events.next()?.difference?.updated.map(\.state) == ["open"])
            try await siding.delete(key: 1, in: tickets)
            #expect(try await events.next()?.difference?.deleted == ["1"])
            let writes = tracker.origin.requests.filter { $0.method != "GET" }.map { "\($0.method) \($0.path)" }
            #expect(writes == ["POST /tickets", "PATCH /tickets/2", "DELETE /tickets/1"])
        }
    }

    @Test func `a creation that waits offline ends neither reads nor the stream of changes`() async throws {
        try await tracking { (tracker: Tracker) async throws in
            let (siding, tickets) = (tracker.siding, tracker.tickets)
            try await siding.sync(tickets)
            var events = siding.changes(of: tickets).makeAsyncIterator()
            #expect(try await events.next()?.models?.count == 4)
            await tracker.origin.stop()
            #expect(try await siding.create(Draft(title: "New", state: "open"), in: tickets).state == .queued)
            #expect(try await siding.records(of: tickets).array().map(\.id) == [1, 2, 3, 4])
            #expect(try await siding.pendingCreations(of: tickets).count == 1)
            try await siding.save(Ticket(id: 5, title: "Local", state: "open"), to: tickets)
            #expect(try await events.next()?.difference?.inserted.map(\.id) == [5])
        }
    }
}

extension RecordChangeStream.Element {
    /// The models of a snapshot.
    fileprivate var models: [Model]? { if case .snapshot(let models) = self { models } else { nil } }
    /// The differences of a change.
    fileprivate var difference: RecordDifference<Model>? {
        if case .changes(let changes) = self { changes } else { nil }
    }
}
