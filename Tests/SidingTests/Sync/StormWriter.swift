// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingJSON
import SidingOrigin
import SidingSynchronization
import SidingTesting
import Testing

@testable import Siding

/// Makes own writes to a ``StormOrigin`` while its pages are under way, sends them, and decides what waits for an operator.
actor StormWriter {
    /// What one entry does.
    private struct Own {
        var verb: WriteDeclaration.Verb
        /// The record; a temporary id where the origin was to choose one.
        var key: String
        /// The newest number of each member that it sets.
        var numbers: [String: Int] = [:]
        /// Whether the record was not stored yet: a page that is under way may show it as it was, until the next listing.
        var isBlind = false
        /// The entry that it became, where an operator sent it anew.
        var successor: String?
    }

    private let origin: StormOrigin
    private let store: Store
    private let sender: WriteSender
    private let declaration: WriteDeclaration
    private var generator: SeededGenerator
    private var owns: [String: Own] = [:]
    private var lastNumber = 0
    private var history: [String] = []

    init(
        to resource: AnyResource, at origin: StormOrigin, _ store: Store, _ environment: RuntimeEnvironment,
        seed: UInt64
    ) throws {
        (self.origin, self.store) = (origin, store)
        var generator = SeededGenerator(seed: seed &+ 7_777)
        sender = WriteSender(
            store: store, sources: [resource.source], transports: origin, environment: environment)
        // Without a promise and without a probe an operator has to look.
        let way = Int.random(in: 0..<3, using: &generator)
        origin.state.withLock { $0.arrivals.honoursKeys = way == 0 }
        var update = WriteDeclaration.Operation(.patch, "/posts/{id}")
        update.sendsIfMatch = Int.random(in: 0..<3, using: &generator) == 0
        update.etagPath = update.sendsIfMatch ? JSONPath(member: "v") : nil
        var declaration = WriteDeclaration(
            resource.name, at: resource.source,
            operations: [
                .create: .init(.post, "/posts"), .update: update, .delete: .init(.delete, "/posts/{id}"),
            ])
        declaration.lane = Int.random(in: 0..<4, using: &generator) == 0 ? "all of \(resource.name)" : nil
        declaration.idempotency = way == 0 ? Idempotency() : nil
        declaration.resource = resource
        declaration.conflict = ConflictPolicy.allCases.randomElement(using: &generator) ?? .hold
        declaration.coalesces = Bool.random(using: &generator)
        if way == 1 {
            declaration.probe = WriteProbe(
                "/posts?ref={entry}", mark: JSONPath(member: "ref"), records: JSONPath(member: "items"),
                after: .seconds(30))
        }
        self.declaration = declaration
        self.generator = generator
    }

    /// What happened since the last look.
    func takeHistory() -> [String] {
        defer { history = [] }
        return history
    }

    // MARK: What happens

    /// Perhaps something, perhaps nothing.
    func doSomething() async {
        do {
            switch Int.random(in: 0..<12, using: &generator) {
            case 0..<3: try await accept()
            case 3, 4: _ = try await sender.drain()
            case 5: try await decide()
            case 6: try await die()
            default: break
            }
        } catch { Issue.record("\(declaration.name): \(error)") }
    }

    private func accept() async throws {
        let shown = try? await store.records(of: declaration.name, after: nil, limit: 999, deleted: false).map(\.key)
        let unseen = origin.state.withLock { $0.records.map { String($0.id) } }.filter { shown?.contains($0) == false }
        let isBlind = Int.random(in: 0..<8, using: &generator) == 0
        guard let key = (isBlind ? unseen : shown)?.randomElement(using: &generator) else { return }
        lastNumber += 1
        let number = lastNumber
        let name = ["a", "b"].randomElement(using: &generator) ?? "a"
        let verb: WriteDeclaration.Verb =
            [.create, .update, .update, .update, .delete].randomElement(using: &generator) ?? .update
        let body = verb == .delete ? nil : Array(#"{"\#(name)":\#(number)}"#.utf8)
        let write = try declaration.request(verb, id: verb == .create ? nil : key, body: body)
        // A record whose creation was dropped takes nothing more, and one that was created has another id by now.
        guard let entry = try? await store.enqueue(write) else { return }
        history.append("\(verb) \(entry.recordKey ?? "") \(name) \(number): \(entry.shortID) \(entry.state)")
        guard entry.state != .dropped else { return }
        var own = owns[entry.id] ?? Own(verb: verb, key: entry.recordKey ?? key)
        if verb != .delete { own.numbers[name] = number }
        if isBlind { own.isBlind = true }
        owns[entry.id] = own
    }

    /// A process dies with a write in hand: before it was sent, or before its result was stored.
    private func die() async throws {
        let dying = try await Store.open(at: store.path, durability: .normal, clock: origin.time.clock)
        if let write = try await dying.claim(ClaimRequest(sources: [declaration.source.name: 4])) {
            history.append("the sender of \(write.entry.shortID) dies")
            if !write.isResendable { try await dying.markSent(write) }
            if write.probeToRun == nil, Bool.random(using: &generator) {
                var request = HTTPRequest(
                    method: write.method, scheme: "https", authority: "api.example.org", path: write.url.path)
                request.headerFields = write.outgoingFields
                let transport = origin.transport(for: "", TransportSettings())
                _ = try? await transport.send(request, body: write.body.map { .bytes($0) } ?? .none)
            }
        }
        await dying.close()
        _ = try await store.reclaim()
    }

    // MARK: An operator

    private func entries(_ states: [QueueEntry.State]) async throws -> [QueueEntry] {
        try await store.entries(QueueSelection(resources: [declaration.name], states: states, kinds: [.write]))
    }

    /// Looks at the origin, and decides what waits for that.
    private func decide() async throws {
        for entry in try await entries([.parked]) {
            let own = owns[entry.id]
            let arrivals = origin.state.withLock { $0.arrivals }
            let arrived = own?.numbers.values.first { arrivals.effects[$0] != nil }
            let one = QueueSelection(ids: [entry.id])
            let actions: [OperatorAction] =
                if let arrived, entry.reason != .conflict {
                    // A probe does not find a write to a record that was deleted since.
                    [.resolve(.arrived(id: arrivals.created[arrived].map(String.init))), .act(.drop)]
                } else if own?.verb == .delete,
                    origin.state.withLock({ $0.records.allSatisfy { String($0.id) != own?.key } })
                {
                    // Sent again it is found to be gone; dropped it would show until a listing of everything.
                    [.act(.retry), .resolve(.mine), .act(.drop)]
                } else if entry.reason == .conflict {
                    [.resolve(Bool.random(using: &generator) ? .mine : .theirs), .resolve(.mine), .act(.drop)]
                } else {
                    [.act(Bool.random(using: &generator) ? .retry : .drop), .act(.drop)]
                }
            for action in actions {
                guard let change = try await store.carryOut(action, on: one).first else { break }
                let reason = entry.reason?.rawValue ?? ""
                history.append("\(entry.shortID) \(reason) \(action): \(change.refusal ?? "") \(change.entry.state)")
                guard change.refusal == nil else { continue }
                if change.entry.id != entry.id {
                    owns[change.entry.id] = own
                    owns[entry.id]?.successor = change.entry.id
                }
                break
            }
        }
    }

    /// Sends what is due, and decides about the rest.
    func work() async throws {
        _ = try await sender.drain()
        try await decide()
    }

    func waiting() async throws -> [QueueEntry] { try await entries([]) }

    // MARK: What must be

    private func events(of entry: String) async throws -> [String] {
        try await store.history(of: entry).map { "\($0.at.rfc3339) \($0.event.rawValue) \($0.detail ?? "")" }
    }

    /// What happened to the entries that edit `records`.
    func events(of records: [String]) async throws -> [String] {
        var all: [String] = []
        for entry in try await store.entries(QueueSelection(ids: Array(owns.keys)))
        where entry.recordKey.map(records.contains) == true {
            all += try await events(of: entry.id)
        }
        return all
    }

    /// - Parameter shown: the living records that are stored.
    /// - Returns: what is wrong; nil if nothing is.
    func fault(in shown: [String: Record]) async throws -> String? {
        let (records, arrivals, hasLagged) = origin.state.withLock { ($0.records, $0.arrivals, $0.hasLagged) }
        let edited = Set(try await waiting().compactMap(\.recordKey))
        let entries = try await store.entries(QueueSelection(ids: Array(owns.keys)))
        let states = Dictionary(entries.map { ($0.id, $0) }) { first, _ in first }
        if let twice = arrivals.effects.first(where: { $0.value > 1 }) {
            let events = try await events(of: owns.first { $0.value.numbers.values.contains(twice.key) }?.key ?? "")
            return "\(twice.key) came \(twice.value) times: \(events)"
        }
        // What commands print, and a service logs, of the writes that were dropped.
        let told = Set(try await store.writesDropped(since: Timestamp(microseconds: 0)).map(\.id))
        for (id, own) in owns where own.successor == nil {
            guard let entry = states[id] else { return "the entry \(id) is not there" }
            let cause = try await store.dropCause(of: entry)
            let isDroppedUnsaid = entry.state == .dropped && (cause == nil || !told.contains(id))
            // An operator knows of an own decision, and who deletes what was not sent yet is told at once.
            let known = try await store.history(of: id).contains { [.resolved, .cancelled].contains($0.event) }
            if isDroppedUnsaid, !known {
                return "\(entry.shortID) is dropped unsaid: \(try await events(of: id))"
            }
            let name = "\(entry.shortID), \(own.verb) of \(own.key) with \(own.numbers),"
            let came = own.numbers.values.filter { arrivals.effects[$0] != nil }
            if entry.state == .done, came.count < own.numbers.count { return "\(name) is done and never came" }
            let living = records.first {
                String($0.id) == entry.recordKey || came.map { arrivals.created[$0] }.contains($0.id)
            }
            if entry.state == .dropped, !came.isEmpty, living != nil {
                return "\(name) is dropped and came: \(try await events(of: id))"
            }
            guard entry.state == .done, !own.isBlind, let key = entry.recordKey, !edited.contains(key) else { continue }
            if own.verb == .delete, living == nil, shown[key] != nil { return "\(name) is done, and the record shows" }
            if own.verb == .create, living != nil, shown[key] == nil { return "\(name) is done, and nothing shows" }
            // What the origin still has as the write made it shows so here, unless a replica showed what no page had shown.
            guard !hasLagged, let body = shown[key].map({ String(decoding: $0.body, as: UTF8.self) }) else { continue }
            for (member, number) in own.numbers where living?.members[member] == number {
                if !body.contains("\"\(member)\":\(number)") { return "\(name) was undone: \(body)" }
            }
        }
        return nil
    }
}
