// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import SidingChain
internal import SidingSQLite

/// Carries out an operator action on an entry, inside a transaction.
struct OperatorActions {
    let transitions: QueueTransitions
    /// Whether a process is alive: the entries that it has claimed are not touched.
    let isAlive: @Sendable (String) -> Bool
    /// The ids of entries that were just reclaimed from dead senders. The operator cannot know yet that they may have arrived.
    let reclaimed: Set<String>

    /// Applies `decision` to the present state of the entries that `selection` still contains: to each completely or not at
    /// all.
    ///
    /// - Parameter found: the entries as the selection found them.
    /// - Throws: errors that concern the whole store; a problem with an entry becomes a refusal.
    func carryOut(
        _ decision: OperatorAction, on found: [QueueEntry], by selection: QueueSelection,
        _ transaction: borrowing Transaction
    ) throws -> [QueueChange] {
        do {
            return try transaction.part { try changes(of: found, by: decision, selection, transaction) }
        } catch let error as StoreError {
            guard found.count == 1 else {
                // One of them cannot be changed: the others are changed without it.
                return try found.flatMap { try carryOut(decision, on: [$0], by: selection, transaction) }
            }
            return found.map { QueueChange(entry: $0, refusal: error.message, hint: error.hint) }
        }
    }

    /// Checks each entry, then writes those that passed with statements for all of them.
    private func changes(
        of found: [QueueEntry], by decision: OperatorAction, _ selection: QueueSelection,
        _ transaction: borrowing Transaction
    ) throws -> [QueueChange] {
        let present = try OutboxTable.entries(found.map(\.id), transaction)
        let naming = try namingTemporaryIDs(found, transaction)
        var references: [String: TemporaryReferences] = [:]
        var changes = try found.map { found in
            guard let entry = present[found.id] else {
                return QueueChange(entry: found, refusal: "it was forgotten meanwhile")
            }
            // A drop parks the entries that waited for the dropped one; they may be selected as well.
            let isParkedByDrop = decision == .act(.drop) && entry.state == .parked && entry.reason == .dependency
            guard selection.fits(entry) || isParkedByDrop else {
                return QueueChange(
                    entry: entry, refusal: "it was changed meanwhile, and is \(entry.state.rawValue) now")
            }
            return try Self.change(of: entry) {
                switch decision {
                case .act(let action): return try foreseen(action, on: entry, naming, transaction)
                case .replace(let change) where change.url == nil && change.body == nil:
                    try replacer.check(entry)
                    if change.releases, naming.contains(entry.id) { try checkNames(in: entry, transaction) }
                case .replace(let change):
                    references[entry.id] = try replacer.request(replacing: entry, with: change, transaction)
                case .resolve(let resolution): return try resolve(entry, as: resolution, transaction)
                case .purge: try pruning.checkIsForgettable(entry)
                }
                return entry
            }
        }
        let places = changes.indices.filter { changes[$0].refusal == nil }
        let entries = places.map { changes[$0].before }
        switch decision {
        case .act(.retry):
            try transitions.requeue(entries, because: .retried, transaction)
            for source in Set(entries.map(\.source)) {
                try SourcesTable.openGate(of: source, at: transitions.now, transaction)
            }
        case .act(.release): try transitions.requeue(entries, because: .released, transaction)
        case .act(.hold):
            try transitions.park(entries.map { ($0.id, ParkReason.held.rawValue) }, as: .held, transaction)
        case .act(.drop): try drop(entries, transaction)
        case .replace(let change):
            let replacements = try replacer.replace(
                entries, with: change, naming: references, isResolved: false, transaction)
            for (place, entry) in zip(places, replacements) { changes[place].entry = entry }
        case .resolve: break
        case .purge: try pruning.forget(entries, transaction)
        }
        return changes
    }

    private var replacer: WriteReplacer { WriteReplacer(actions: self) }
    private var pruning: EntryPruning { EntryPruning(now: transitions.now) }

    /// The resolution of another entry may have changed this one since it was read.
    private func resolve(
        _ entry: QueueEntry, as resolution: ConflictResolution, _ transaction: borrowing Transaction
    ) throws -> QueueEntry {
        try transaction.part {
            let entry = try OutboxTable.entry(withPrefix: entry.id, transaction)
            return try ConflictResolver(actions: self).resolve(entry, as: resolution, transaction)
        }
    }

    /// Predicts the results of `decision` on entries without writing anything.
    ///
    /// - Returns: nil for a resolution, which only a trial run can predict.
    func preview(
        _ decision: OperatorAction, on entries: [QueueEntry], _ database: borrowing some Queryable & ~Copyable
    ) throws -> [QueueChange]? {
        if case .resolve = decision { return nil }
        let naming = try namingTemporaryIDs(entries, database)
        return try entries.map { entry in
            var preview: RequestPreview?
            var change = try Self.change(of: entry) {
                switch decision {
                case .act(let action): return try foreseen(action, on: entry, naming, database)
                case .replace(let change):
                    let request = try replacer.request(replacing: entry, with: change, database).write
                    if change.url == nil, change.body == nil, change.releases, naming.contains(entry.id) {
                        try checkNames(in: entry, database)
                    }
                    preview = RequestPreview(
                        method: entry.method, url: request.url.description,
                        headerNames: request.headerFields.map(\.name.rawName), bodyBytes: request.body?.count)
                    return change.releases ? entry.requeued(at: transitions.now) : entry.parked(as: .held)
                case .purge: try pruning.checkIsForgettable(entry)
                case .resolve: break
                }
                return entry
            }
            change.request = preview
            return change
        }
    }

    private static func change(of entry: QueueEntry, by body: () throws -> QueueEntry) throws -> QueueChange {
        do {
            return QueueChange(entry: try body(), before: entry)
        } catch let refusal as QueueRefusal {
            return QueueChange(entry: entry, refusal: refusal.reason, hint: refusal.hint)
        } catch let error as StoreError {
            return QueueChange(entry: entry, refusal: error.message, hint: error.hint)
        }
    }

    /// The entry after `action`.
    ///
    /// - Parameter naming: the entries whose request may name a temporary id.
    /// - Throws: ``QueueRefusal`` if the action is not allowed for the entry.
    private func foreseen(
        _ action: QueueAction, on entry: QueueEntry, _ naming: Set<String>,
        _ database: borrowing some Queryable & ~Copyable
    ) throws -> QueueEntry {
        let surprise = action == .drop ? nil : surprise(entry)
        if let refusal = surprise ?? action.refusal(on: entry, isBeingSent: isBeingSent(entry)) {
            throw QueueRefusal(reason: refusal)
        }
        switch action {
        case .retry, .release:
            if naming.contains(entry.id) { try checkNames(in: entry, database) }
            return entry.requeued(at: transitions.now)
        case .hold: return entry.parked(as: .held)
        case .drop: return entry.dropped(at: transitions.now)
        }
    }

    /// A refusal if the entry was just reclaimed and parked, which the operator cannot know yet; else nil.
    private func surprise(_ entry: QueueEntry) -> String? {
        guard entry.state == .parked, reclaimed.contains(entry.id) else { return nil }
        return "its sender ended, and it may have arrived: it is parked now (\(entry.reason?.rawValue ?? ""))"
    }

    private func namingTemporaryIDs(
        _ entries: [QueueEntry], _ database: borrowing some Queryable & ~Copyable
    ) throws -> Set<String> {
        try OutboxRequestsTable.namingTemporaryIDs(entries.lazy.filter { $0.kind == .write }.map(\.id), database)
    }

    /// - Throws: ``QueueRefusal`` if the request names a temporary id that will never get a real one: the origin does not know
    ///   it.
    private func checkNames(in entry: QueueEntry, _ database: borrowing some Queryable & ~Copyable) throws {
        let body = try OutboxRequestsTable.load(entry.id, database)?.body ?? []
        for id in TemporaryID.found(in: Array(entry.url.utf8)) + TemporaryID.found(in: body) {
            // A create that was dropped may have been purged since.
            let maker = try OutboxTable.maker(of: id, database)
            if maker?.entry.state.isCompleted ?? true, maker?.realID == nil {
                throw QueueRefusal(reason: "it names \(id), which has no real id")
            }
        }
    }

    /// Whether a live sender has claimed the entry. Writes of dead senders were reclaimed before, so a `sending` write has a
    /// live sender. A fetch is reclaimed only by the next run of its resource, so its owner is checked.
    private func isBeingSent(_ entry: QueueEntry) -> Bool {
        entry.state == .sending && (entry.kind == .write || entry.owner.map(isAlive) ?? false)
    }

    /// - Throws: ``QueueRefusal`` if the entry is a fetch, is completed, or is being sent.
    func checkIsChangeable(_ entry: QueueEntry) throws {
        let refusal =
            entry.kind == .fetch
            ? "it is a fetch, which follows its resource's definition"
            : QueueAction.drop.refusal(on: entry, isBeingSent: isBeingSent(entry)) ?? surprise(entry)
        if let refusal { throw QueueRefusal(reason: refusal) }
    }

    private func drop(_ entries: [QueueEntry], _ transaction: borrowing Transaction) throws {
        try transitions.completeWrites(
            entries.map(\.id), as: .dropped, event: .dropped, detail: "by an operator", transaction)
        for entry in entries where entry.kind == .fetch {
            // It may hold members that are not to be stored.
            try OutboxRequestsTable.clearAnswer(of: entry.id, transaction)
            guard let resource = try ResourcesTable.id(of: entry.resource, transaction) else { continue }
            let scope = try OutboxTable.scope(of: entry.id, transaction)
            try ListingsTable.end(resource, scope: scope, transaction)
        }
    }
}
