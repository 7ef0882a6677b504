// SPDX-License-Identifier: Apache-2.0
internal import SidingSynchronization

/// The queue, for programs: the pages and writes that wait, and the decisions of an operator on them.
extension Siding {
    /// The entries of the queue in these states, oldest first; those of all processes.
    ///
    /// - Parameters:
    ///   - states: left out, all that are not completed.
    ///   - resource: only entries of this resource.
    ///   - limit: the most that are returned; nil for all.
    public func queueEntries(
        in states: [QueueEntry.State] = [], of resource: (any SyncedResource)? = nil, limit: Int? = nil
    ) async throws(StoreError) -> [QueueEntry] {
        let resources = resource.map { [$0.name] } ?? []
        return try await store.entries(QueueSelection(resources: resources, states: states), limit: limit)
    }

    /// The entry with this id, completed or not.
    ///
    /// - Parameter id: a ``QueueEntry/id``, or at least 4 characters of its beginning.
    /// - Throws: ``StoreError/Kind/notFound``, also if it was pruned; ``StoreError/Kind/ambiguous`` for the beginning of several ids.
    public func queueEntry(_ id: String) async throws(StoreError) -> QueueEntry {
        guard let entry = try await store.entries(QueueSelection(ids: [id])).first else { throw .noEntry(id) }
        return entry
    }

    /// Makes an entry due now, queued or parked, with no failed attempts, and has its source asked again; ``run()`` or ``drain()``
    /// sends it.
    ///
    /// A write that is parked as ``ParkReason/uncertain`` may be at the origin already: look there first.
    /// - Returns: the entry as it is then.
    /// - Throws: ``StoreError/Kind/refused`` if it is completed or being sent, ``StoreError/Kind/notFound``.
    @discardableResult
    public func retry(_ entry: QueueEntry) async throws(StoreError) -> QueueEntry { try await act(.retry, on: entry) }

    /// Parks an entry until it is released.
    ///
    /// - Returns: the entry as it is then.
    /// - Throws: ``StoreError/Kind/refused`` if it is completed or being sent, or a write that is parked already;
    ///   ``StoreError/Kind/notFound``.
    @discardableResult
    public func hold(_ entry: QueueEntry) async throws(StoreError) -> QueueEntry { try await act(.hold, on: entry) }

    /// Makes a parked entry due again, as ``retry(_:)`` does, but leaves its source as it is.
    ///
    /// - Returns: the entry as it is then.
    /// - Throws: ``StoreError/Kind/refused`` if it is not parked, ``StoreError/Kind/notFound``.
    @discardableResult
    public func release(_ entry: QueueEntry) async throws(StoreError) -> QueueEntry {
        try await act(.release, on: entry)
    }

    /// Ends an entry without sending it. The record of a dropped edit is again as the origin has it, and the next sync begins the
    /// listing of a dropped page anew.
    ///
    /// - Returns: the entry as it is then.
    /// - Throws: ``StoreError/Kind/refused`` if it is completed or being sent, ``StoreError/Kind/notFound``.
    @discardableResult
    public func drop(_ entry: QueueEntry) async throws(StoreError) -> QueueEntry { try await act(.drop, on: entry) }

    /// Decides a write in conflict with the origin's record, or marks one in doubt as arrived. ``run()`` or ``drain()`` sends it.
    ///
    /// - Returns: the entry as it is then; another one if another body is sent.
    /// - Throws: ``StoreError/Kind/refused`` if the entry is in no conflict, is completed or being sent, or may not have this body
    ///   or id; ``StoreError/Kind/notFound``.
    @discardableResult
    public func resolve(
        _ entry: QueueEntry, _ resolution: ConflictResolution
    ) async throws(StoreError) -> QueueEntry {
        try await carryOut(.resolve(resolution), on: entry)
    }

    /// The local and the origin's version of the record of a pending edit, for who decides between them; nil for a write that
    /// edits no record, or is completed.
    ///
    /// - Throws: ``StoreError/Kind/notFound``.
    public func conflict(of entry: QueueEntry) async throws(StoreError) -> ConflictReport? {
        try await store.conflict(of: entry.id)
    }

    private func act(_ action: QueueAction, on entry: QueueEntry) async throws(StoreError) -> QueueEntry {
        try await carryOut(.act(action), on: entry)
    }

    private func carryOut(_ decision: OperatorAction, on entry: QueueEntry) async throws(StoreError) -> QueueEntry {
        try await activity.perform { () throws(StoreError) in
            let changes = try await store.carryOut(decision, on: QueueSelection(ids: [entry.id]))
            guard let change = changes.first else { throw StoreError.noEntry(entry.id) }
            if let refusal = change.refusal {
                throw StoreError(.refused, "\(entry.shortID): \(refusal)", hint: change.hint)
            }
            activity.publish(change.entry)
            activity.dueWrites.fire()
            return change.entry
        }
    }
}

extension StoreError {
    fileprivate static func noEntry(_ id: String) -> StoreError {
        StoreError(
            .notFound, "no entry has the id '\(id.prefix(100))'",
            hint: "it may have been pruned; 'siding queue list' shows the entries")
    }
}
