internal import Siding
internal import SidingChain

/// The transitions of entries, each told in the entry's history.
extension MemoryTables {
    /// A sender that died this often with an entry in hand is not given it again.
    private static let mostCrashes = 3

    func unsettledFetch(of resource: String, scope: String) -> QueueEntry? {
        unsettledFetches(of: resource).first { scopes[$0.id] == scope }
    }

    func unsettledFetches(of resource: String) -> [QueueEntry] {
        queue.filter { $0.isFetch && $0.entry.resource == resource }.map(\.entry)
    }

    mutating func update(
        _ id: String, _ event: String, _ detail: String?, _ moment: MemoryMoment, _ body: (inout QueueEntry) -> Void
    ) {
        for index in queue.indices where queue[index].entry.id == id {
            body(&queue[index].entry)
            queue[index].note(event, detail, moment)
            if queue[index].entry.state != .sending { senders[id] = nil }
        }
    }

    mutating func settle(
        _ id: String, as state: QueueEntry.State, _ event: String, _ detail: String?, _ moment: MemoryMoment
    ) {
        update(id, event, detail, moment) { entry in
            guard !entry.state.isSettled else { return }
            (entry.state, entry.reason, entry.crashes, entry.settledAt) = (state, nil, 0, moment.now)
        }
    }

    mutating func park(_ entry: QueueEntry, as reason: ParkReason, _ event: String, _ moment: MemoryMoment) {
        update(entry.id, event, reason.rawValue, moment) { stored in
            (stored.state, stored.reason, stored.crashes) = (.parked, reason, entry.crashes)
        }
    }

    /// Takes a fetch in hand, under its resource's lease: an entry that is still `sending` belongs to a dead sender.
    mutating func claim(_ entry: QueueEntry, _ moment: MemoryMoment) -> QueueEntry {
        var entry = entry
        if entry.state == .sending {
            entry.crashes += 1
            update(entry.id, "crashed", "its sender ended without an answer", moment) { $0.crashes = entry.crashes }
            if entry.crashes >= Self.mostCrashes {
                park(entry, as: .poison, "parked", moment)
                (entry.state, entry.reason) = (.parked, .poison)
            }
        }
        if entry.waitsForPerson { return entry }
        (entry.state, entry.reason) = (.sending, nil)
        update(entry.id, "claimed", nil, moment) { $0 = entry }
        senders[entry.id] = moment.process
        return entry
    }

    /// Puts fetches that are still in hand back: their run ended without a word on them.
    mutating func giveBack(_ resource: String, _ moment: MemoryMoment) {
        for entry in unsettledFetches(of: resource) where entry.state == .sending {
            update(entry.id, "given back", "its run ended early", moment) { $0.state = .queued }
        }
    }

    mutating func parkExpired(_ moment: MemoryMoment) {
        for stored in queue where stored.entry.state == .queued && stored.expiresAt.map({ $0 <= moment.now }) ?? false {
            park(stored.entry, as: .expired, "parked", moment)
        }
    }

    mutating func retain(_ fetch: FetchRetention, _ moment: MemoryMoment) -> QueueEntry {
        let existing = unsettledFetch(of: fetch.resource, scope: fetch.page.scope)
        let url = fetch.page.url.description
        let earlier = existing?.url == url ? existing?.attempts ?? 0 : 0
        let attempts = earlier + (fetch.isCounted ? 1 : 0)
        let entry = QueueEntry(
            id: existing?.id ?? moment.entryID(), kind: .fetch, state: fetch.parks == nil ? .queued : .parked,
            reason: fetch.parks, source: existing?.source ?? fetch.source, resource: fetch.resource,
            lane: fetch.lane, method: fetch.method, url: url, pageNumber: fetch.page.number,
            attempts: attempts, createdAt: existing?.createdAt ?? moment.now,
            nextAttemptAt: moment.now + fetch.wait(attempts), lastError: fetch.error)
        if existing == nil {
            scopes[entry.id] = fetch.page.scope
            queue.append(MemoryEntry(entry: entry, expiresAt: fetch.expiry.map { moment.now + $0 }))
        }
        let event = existing == nil ? "retained" : "failed"
        update(entry.id, event, fetch.error.message, moment) { $0 = entry }
        return entry
    }
}

extension MemoryEntry {
    private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz")

    /// 26 characters, as ids of entries are.
    @Sendable static func randomID() -> String {
        String((0..<26).map { _ in alphabet[Int.random(in: 0..<alphabet.count)] })
    }
}
