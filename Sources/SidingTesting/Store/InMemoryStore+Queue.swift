public import Siding
internal import SidingChain

extension InMemoryStore {
    public func retain(_ fetch: FetchRetention) throws(StoreError) -> QueueEntry {
        try change { (tables, moment) throws(StoreError) in
            try tables.check(fetch.lease, moment)
            return tables.retain(fetch, moment)
        }
    }

    public func entries(_ selection: QueueSelection) throws(StoreError) -> [QueueEntry] {
        try read { (tables) throws(StoreError) in try tables.entries(selection) }
    }

    public func history(of entry: String) throws(StoreError) -> [QueueEvent] {
        try read { (tables) throws(StoreError) in tables.queue.first { $0.entry.id == entry }?.history ?? [] }
    }

    public func perform(_ action: QueueAction, on selection: QueueSelection) throws(StoreError) -> [QueueChange] {
        try change { (tables, moment) throws(StoreError) in
            var changes: [QueueChange] = []
            for entry in try tables.entries(selection) { changes.append(tables.perform(action, on: entry, moment)) }
            return changes
        }
    }

    public func gates() throws(StoreError) -> [SourceGate] {
        try read { (tables) throws(StoreError) in
            tables.standings.values.compactMap(\.gate).sorted { $0.source < $1.source }
        }
    }

    public func learn(_ lesson: SourceLesson, of source: String) throws(StoreError) {
        // The store keeps no writes that could wait for the end of an outage.
        try change { (tables, moment) throws(StoreError) in
            _ = tables.standings[source, default: SourceStanding(source: source)]
                .learn(lesson, jitter: Jitter { 1 }, now: moment.now)
        }
    }

    public func openGate(ofSource source: String) throws(StoreError) {
        try change { (tables, _) throws(StoreError) in tables.standings[source]?.gate = nil }
    }
}

extension MemoryTables {
    fileprivate func entries(_ selection: QueueSelection) throws(StoreError) -> [QueueEntry] {
        guard !selection.ids.isEmpty else { return queue.map(\.entry).filter(selection.includes) }
        var found: [QueueEntry] = []
        for id in selection.ids {
            let entry = try entry(withPrefix: id)
            if selection.includes(entry), !found.contains(where: { $0.id == entry.id }) { found.append(entry) }
        }
        return found
    }

    private func entry(withPrefix prefix: String) throws(StoreError) -> QueueEntry {
        let matches = prefix.count >= 4 ? queue.map(\.entry).filter { $0.id.hasPrefix(prefix.lowercased()) } : []
        guard let entry = matches.first else { throw StoreError(.notFound, "no queue entry begins with '\(prefix)'") }
        guard matches.count == 1 else {
            let shown = matches.prefix(9).map(\.shortID).joined(separator: ", ")
            throw StoreError(.ambiguous, "'\(prefix)' begins several entries: \(shown)", hint: "give more characters")
        }
        return entry
    }

    fileprivate mutating func perform(
        _ action: QueueAction, on entry: QueueEntry, _ moment: MemoryMoment
    ) -> QueueChange {
        let isLiving = entry.state == .sending && senders[entry.id] == moment.process
        if let refusal = action.refusal(on: entry, isBeingSent: isLiving) {
            return QueueChange(entry: entry, refusal: refusal)
        }
        switch action {
        case .retry: requeue(entry.id, "retried", moment)
        case .release: requeue(entry.id, "released", moment)
        case .hold: park(entry, as: .held, "held", moment)
        case .drop:
            settle(entry.id, as: .dropped, "dropped", "by a person", moment)
            if entry.kind == .fetch, let resource = entry.resource {
                resources[resource]?.open[scopes[entry.id] ?? ""] = nil
                resources[resource]?.scoped[scopes[entry.id] ?? ""]?.state = .incomplete
            }
        }
        return QueueChange(entry: queue.first { $0.entry.id == entry.id }?.entry ?? entry, before: entry)
    }

    private mutating func requeue(_ id: String, _ event: String, _ moment: MemoryMoment) {
        update(id, event, nil, moment) { entry in
            (entry.state, entry.reason, entry.attempts, entry.crashes) = (.queued, nil, 0, 0)
            entry.nextAttemptAt = moment.now
        }
    }
}
