// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import SidingChain
internal import SidingSQLite

/// Claims the next write, inside a transaction.
struct WriteClaimer {
    let request: ClaimRequest
    let transitions: QueueTransitions

    private var now: Timestamp { transitions.now }

    func claim(_ transaction: borrowing Transaction) throws -> ClaimedWrite? {
        try transitions.parkExpired(transaction)
        if let entry = request.entry { return try claim(named: entry, transaction) }
        for health in try turns(transaction) {
            if let write = try claim(next: health, transaction) { return write }
        }
        return nil
    }

    /// The sources that allow a request now, the longest unused first.
    private func turns(_ transaction: borrowing Transaction) throws -> [SourceHealth] {
        try request.sources
            .map { name, limit in (try SourcesTable.load(name, transaction), limit) }
            .filter { health, limit in try allowsRequest(health, limit, transaction) }
            .map(\.0)
            .sorted { ($0.lastSentAt, $0.source) < ($1.lastSentAt, $1.source) }
    }

    private func allowsRequest(_ health: SourceHealth, _ limit: Int, _ transaction: borrowing Transaction) throws
        -> Bool
    {
        guard let allowed = health.requestsAllowed(limit: limit, now: now) else { return false }
        return allowed > (try OutboxTable.claimedWrites(of: health.source, transaction))
    }

    /// Claims the next due write of a source. Unreadable entries, and those past their key's lifetime, are parked on the way:
    /// one bad entry blocks only its lane.
    private func claim(next health: SourceHealth, _ transaction: borrowing Transaction) throws -> ClaimedWrite? {
        try OutboxTable.endWaits(beyond: now + RetryRules.longestWait, of: health.source, now, transaction)
        while let entry = try OutboxTable.nextWrite(of: health.source, now, transaction) {
            if let write = try usable(entry, transaction) { return try mark(claimed: write, in: health, transaction) }
        }
        return nil
    }

    private func claim(named id: String, _ transaction: borrowing Transaction) throws -> ClaimedWrite? {
        guard let entry = try OutboxTable.readyWrite(id, transaction), let limit = request.sources[entry.source],
            let write = try usable(entry, transaction)
        else { return nil }
        let health = try SourcesTable.load(entry.source, transaction)
        guard try request.passesGates || allowsRequest(health, limit, transaction) else { return nil }
        return try mark(claimed: write, in: health, transaction)
    }

    // MARK: One write

    /// The write, if it can be sent as it stands; nil if it was parked.
    private func usable(_ found: QueueEntry, _ transaction: borrowing Transaction) throws -> ClaimedWrite? {
        var entry = found
        do {
            let edit = try OutboxEditsTable.load(entry.id, transaction)
            if edit?.base != nil, entry.hasUnansweredTry, entry.unknownSince == nil,
                try hasRecordProbe(entry, edit?.terms)
            {
                // The change may be an effect of that try.
                try transitions.beginDoubt(
                    entry.id, "the record has changed since a try that was not answered", transaction)
                entry.unknownSince = now
            } else if edit?.base != nil {
                // While it was parked, changes at the origin were not compared with it. Every parked write that is sent again
                // is claimed first, so the comparison is made here.
                try ConflictWatch.check(entry, transitions, transaction)
                guard let checked = try OutboxTable.readyWrite(entry.id, transaction) else { return nil }
                entry = checked
            }
            var (write, keyLifetime) = try read(entry, edit?.terms, transaction)
            if edit?.base == nil, try isStillRefused(write, transaction) {
                guard write.record != nil else {
                    let why = "the origin refused it, and the record's present ETag is not known"
                    _ = try transitions.park(entry, as: .conflict, why, transaction)
                    return nil
                }
                write.recordQuestion = write.entry.lastError.map { .refused($0) }
            }
            guard var usable = try withUsableKey(write, keyLifetime, transaction) else { return nil }
            // Read for a probe alone, as almost no write needs it.
            if case .record = usable.probeToRun {
                usable.record?.before = try EditSides(of: usable.entry, transaction)?.base.living
            }
            return usable
        } catch let error as StoreError where error.kind == .corrupt {
            let recorded = RecordedError(name: "invalidRequest", message: error.message)
            try OutboxRequestsTable.setError(recorded, of: entry.id, transaction)
            _ = try transitions.park(entry, as: .invalid, error.message, transaction)
            return nil
        }
    }

    /// Whether an edit came back after a conflict that nobody resolved, and no page has brought what the record is now:
    /// without an `If-Match` it would overwrite that.
    private func isStillRefused(_ write: ClaimedWrite, _ transaction: borrowing Transaction) throws -> Bool {
        guard let terms = write.terms, terms.ifMatch, terms.conflict != .mine, write.entry.attempts == 0,
            let status = write.entry.lastError?.status,
            write.conflictStatuses?.contains(status) ?? (HTTPFailure(status: status).statusClass == .conflict)
        else { return false }
        return try etag(for: write, transaction) == nil
    }

    private func etag(for write: ClaimedWrite, _ transaction: borrowing Transaction) throws -> String? {
        let (entry, path) = (write.entry, write.terms?.etagPath)
        return try write.headerFields[.ifMatch]
            ?? ServerCopiesTable.etag(of: entry.recordKey, in: entry.resource, at: path, transaction)
    }

    /// - Throws: ``StoreError/Kind/corrupt`` if the entry cannot be read.
    private func read(
        _ entry: QueueEntry, _ terms: EditTerms?, _ transaction: borrowing Transaction
    ) throws -> (write: ClaimedWrite, keyLifetime: Duration?) {
        let (method, url) = try entry.target()
        guard let request = try OutboxRequestsTable.load(entry.id, transaction),
            let key = try IdempotencyKeysTable.load(entry.id, transaction)
        else { throw StoreError(.corrupt, "queue entry \(entry.id) has no request or no key") }
        var write = ClaimedWrite(
            entry: entry, method: method, url: url, headerFields: try request.headerFields(),
            body: request.outgoingBody(of: entry.id, key: key.key), key: key.key, keyField: key.field,
            isKeyed: key.isHonoured, terms: terms,
            conflictStatuses: try request.conflictStatuses(), goneIsDone: request.goneIsDone)
        write.declaredProbe = request.probe
        if let terms, let key = entry.recordKey, try hasRecordProbe(entry, terms) {
            write.record = RecordProbe(terms: terms, key: key, body: request.body)
        }
        // A write in doubt is never sent just because its probe is missing.
        guard write.probe != nil || entry.unknownSince == nil else {
            throw StoreError(.corrupt, "queue entry \(entry.id) has a probe that cannot be read")
        }
        return (write, key.lifetime)
    }

    private func hasRecordProbe(_ entry: QueueEntry, _ terms: EditTerms?) throws -> Bool {
        let (method, url) = try entry.target()
        return entry.recordKey.flatMap { terms?.showRecord($0, at: url, method) } ?? false
    }

    /// Handles a key that the origin has forgotten, as sending again could act twice: marks the write as in doubt if it has a
    /// delivery probe, else parks it and returns nil.
    private func withUsableKey(
        _ candidate: ClaimedWrite, _ lifetime: Duration?, _ transaction: borrowing Transaction
    ) throws -> ClaimedWrite? {
        var write = candidate
        guard write.probeToRun == nil, write.isKeyed, !write.method.isIdempotent, let sent = write.entry.firstSentAt,
            let lifetime, now - sent >= lifetime
        else { return write }
        let why = "it may have arrived at \(sent.rfc3339), and the origin forgets keys"
        guard write.probe != nil else {
            _ = try transitions.park(write.entry, as: .keyExpired, why, transaction)
            return nil
        }
        try transitions.beginDoubt(write.entry.id, why, transaction)
        write.entry.unknownSince = now
        return write
    }

    /// Marks the write as claimed. The lifetime of an honoured key starts here: no attempt with the key can be earlier.
    private func mark(
        claimed candidate: ClaimedWrite, in health: SourceHealth, _ transaction: borrowing Transaction
    ) throws -> ClaimedWrite {
        var (write, after) = (candidate, health)
        if write.recordQuestion == nil, !request.knowsRecord, try lacksETag(write, transaction) {
            write.recordQuestion = .noETag
        }
        write.asksFirst = health.gate?.reason == .portal && !write.isResendable && write.probeToRun == nil
        after.recordSend(now)
        try SourcesTable.save(after, now, transaction)
        try OutboxTable.claim(
            write.entry, by: transitions.owner,
            firstSent: write.isResendable && write.recordQuestion == nil ? now : nil, transaction)
        // A time in the future was recorded before the clock was set back: the settle delay starts again now.
        if let since = write.entry.unknownSince, since > now {
            try OutboxRequestsTable.setUnknownSince(now, of: write.entry.id, transaction)
            write.entry.unknownSince = now
        }
        write.entry.state = .sending
        write.entry.token += 1
        let lack = try condition(&write, transaction)
        try transitions.addEvent(write.entry.id, .claimed, lack, transaction)
        return write
    }

    /// Whether an edit of a record is to be sent under its ETag, and none is known: without one it would overwrite what others have
    /// changed since the record was read. One that prevails anyway, by its policy or as a person has decided, does not ask.
    private func lacksETag(_ write: ClaimedWrite, _ transaction: borrowing Transaction) throws -> Bool {
        guard let terms = write.terms, terms.ifMatch, terms.conflict != .mine, terms.change != .create,
            write.record != nil, write.probeToRun == nil, try etag(for: write, transaction) == nil
        else { return false }
        return try OutboxEventsTable.newest(.resolved, of: write.entry.id, transaction) == nil
    }

    /// Adds `If-Match` with the record's strong ETag, if the write asks for it; an `If-Match` of the write itself is kept.
    ///
    /// - Returns: why the write is sent without the condition that it asked for, for the history; else nil.
    private func condition(_ write: inout ClaimedWrite, _ transaction: borrowing Transaction) throws -> String? {
        guard let terms = write.terms, terms.ifMatch, write.probeToRun == nil, write.recordQuestion == nil else {
            return nil
        }
        write.headerFields[.ifMatch] = try etag(for: write, transaction)
        guard write.headerFields[.ifMatch] == nil else { return nil }
        let place = terms.etagPath.map { ", nor is there one at \($0)" } ?? ""
        return "no strong ETag of the record is known\(place): it is sent without If-Match"
    }
}

extension QueueEntry {
    /// - Throws: ``StoreError/Kind/corrupt`` if the entry cannot be sent.
    func target() throws -> (method: HTTPRequest.Method, url: HTTPURL) {
        guard let method = HTTPRequest.Method(method), let url = try? HTTPURL(url) else {
            throw StoreError(.corrupt, "queue entry \(id) has a method or URL that cannot be sent")
        }
        return (method, url)
    }
}
