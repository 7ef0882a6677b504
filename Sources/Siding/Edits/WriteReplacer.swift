internal import HTTPTypes
internal import SidingChain
internal import SidingSQLite

/// Replaces the request of an open entry by adding a new entry in its place, inside a transaction.
struct WriteReplacer {
    let hand: OperatorActions

    private var transitions: QueueTransitions { hand.transitions }

    /// Replaces the request of `old`.
    ///
    /// - Returns: the new entry.
    /// - Throws: ``QueueRefusal`` if the entry cannot be edited, ``StoreError/Kind/invalidWrite`` if the queue may not keep
    ///   the new request.
    func replace(
        _ old: QueueEntry, with change: WriteChange, _ transaction: borrowing Transaction
    ) throws -> QueueEntry {
        try hand.checkIsChangeable(old, transaction)
        if old.state == .queued, try hand.mayHaveArrived(old, transaction) {
            throw QueueRefusal(
                reason: "it may have arrived: an edit would be a second write",
                hint: "wait for the origin's word; or put it on hold first, and edit it then")
        }
        let id = EntryID.random()
        var changed = try WrittenContent.load(of: old, changedBy: change, transaction)
        try changed.check()
        if change.body != nil {
            try changed.checkIsEdit(old, transaction)
            try changed.checkCarriesMark(of: old, transaction)
        }
        let parents = change.url == nil && change.body == nil ? [] : try changed.resolve(transaction)
        guard !parents.contains(old.id) else {
            throw QueueRefusal(reason: "it would name the record that it is to create itself")
        }
        try insert(id, in: old, changed, releases: change.releases, transaction)
        try retire(old, for: id, transaction)
        try wait(id, for: parents, transaction)
        return try OutboxTable.entry(withPrefix: id, transaction)
    }

    /// Makes the entry wait for the entries that create the records it names.
    private func wait(_ id: String, for parents: Set<String>, _ transaction: borrowing Transaction) throws {
        guard !parents.isEmpty else { return }
        try OutboxDependenciesTable.insert(parents: parents, of: id, transaction)
        try OutboxTable.updateWaitsOn(of: id, transaction)
    }

    /// Inserts the new entry with the old one's lane, position and declarations.
    private func insert(
        _ id: String, in old: QueueEntry, _ content: WrittenContent, releases: Bool,
        _ transaction: borrowing Transaction
    ) throws {
        let isHeld = !releases
        try OutboxTable.insert(id, replacing: old.id, isHeld: isHeld, at: transitions.now, transaction)
        try OutboxRequestsTable.insert(
            id, replacing: old.id, url: content.url.description, content.headerFields, content.body, transaction)
        try OutboxEditsTable.insert(id, replacing: old.id, transaction)
        try IdempotencyKeysTable.insert(id, replacing: old.id, transaction)
        try transitions.note(id, "accepted", "in the place of \(old.shortID)", transaction)
        if isHeld { try transitions.note(id, "held", "release lets it go", transaction) }
    }

    /// Drops the old entry and moves its dependencies to the new one. The lane keeps its order.
    private func retire(_ old: QueueEntry, for id: String, _ transaction: borrowing Transaction) throws {
        try OutboxDependenciesTable.move(from: old.id, to: id, transaction)
        try OutboxTable.complete(old.id, as: .dropped, at: transitions.now, transaction)
        try OutboxEditsTable.complete(old.id, transaction)
        try transitions.note(old.id, "replaced", "by \(id)", transaction)
        try EditProjection.showRecord(of: id, now: transitions.now, transaction)
    }
}

extension WriteReplacer {
    /// The request of an entry.
    struct WrittenContent {
        var source: String
        var method: HTTPRequest.Method
        var url: HTTPURL
        var headerFields: HTTPFields
        var body: [UInt8]?

        /// Reads the request of an entry.
        ///
        /// - Parameter change: replaces stored parts, readable or not.
        /// - Throws: ``StoreError/Kind/corrupt`` if the row holds no valid request.
        static func load(
            of entry: QueueEntry, changedBy change: WriteChange = WriteChange(),
            _ database: borrowing some Queryable & ~Copyable
        ) throws -> WrittenContent {
            guard let method = HTTPRequest.Method(entry.method), let url = change.url ?? (try? HTTPURL(entry.url))
            else {
                throw StoreError(.corrupt, "queue entry \(entry.id) has a method or URL that cannot be sent")
            }
            let stored = try OutboxRequestsTable.load(entry.id, database)
            return WrittenContent(
                source: entry.source, method: method, url: url,
                headerFields: try change.headerFields ?? stored?.headerFields() ?? [:],
                body: change.body ?? stored?.body)
        }

        /// Nil if the row holds no valid request.
        static func readable(
            of entry: QueueEntry, _ database: borrowing some Queryable & ~Copyable
        ) throws -> WrittenContent? {
            do { return try load(of: entry, database) } catch let error as StoreError where error.kind == .corrupt {
                return nil
            }
        }

        /// Replaces temporary ids with the real ones that are known.
        ///
        /// - Returns: the open entries that create the others.
        mutating func resolve(_ transaction: borrowing Transaction) throws -> Set<String> {
            let named = WriteRequest(to: source, method, url, headerFields: headerFields, body: body)
            let references = try TemporaryReferences(resolving: named, transaction)
            (url, body) = (references.write.url, references.write.body)
            return references.parents
        }

        /// Checks the new body of an edit.
        ///
        /// - Throws: ``StoreError/Kind/invalidWrite`` if the entry is an edit and the body is not a valid record.
        func checkIsEdit(_ entry: QueueEntry, _ transaction: borrowing Transaction) throws {
            guard let edit = try PendingEdit.load(entry.id, transaction), edit.terms.change != .delete else {
                return
            }
            try EditEnqueuer.check(body ?? [], of: entry.resource ?? "", at: edit.terms.recordPath)
        }

        /// - Throws: ``StoreError/Kind/invalidWrite`` if the queue may not keep it.
        func check() throws(StoreError) {
            do {
                try WriteSafety.check(WriteRequest(to: source, method, url, headerFields: headerFields, body: body))
            } catch {
                throw StoreError(.invalidWrite, error.detail ?? error.description)
            }
        }
    }
}
