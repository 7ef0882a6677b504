internal import SidingJSON
internal import Siding

extension MemoryResource {
    /// Saves the records of a page; a 304 saves none.
    mutating func save(_ page: PageCommit, now: Timestamp) -> RunCounters {
        var counters = RunCounters()
        switch page.content {
        case .notModified:
            counters.notModified = 1
        case .records(let bytes, let slices):
            bytes.withUnsafeBytes { raw in
                let last = Self.lastOfEachKey(slices, raw)
                for (index, slice) in slices.enumerated() {
                    guard case .key(let key) = slice.outcome else {
                        counters.quarantined += 1
                        continue
                    }
                    keyKind = keyKind ?? key.kind
                    guard last[KeyText(key, raw)] == index else {
                        counters.duplicates += 1
                        continue
                    }
                    guard key.kind == keyKind else {
                        counters.quarantined += 1
                        continue
                    }
                    save(key, body: Array(raw[slice.range]), in: raw, page, now, &counters)
                }
            }
        }
        if counters.inserted + counters.updated > 0 { revision += 1 }
        if case .records = page.content { quarantined[MemoryAddress(page.page)] = counters.quarantined }
        return counters
    }

    private mutating func save(
        _ key: RecordKey, body: [UInt8], in raw: UnsafeRawBufferPointer, _ page: PageCommit, _ now: Timestamp,
        _ counters: inout RunCounters
    ) {
        let text = key.withBytes(in: raw) { Array($0) }
        guard var record = records[text] else {
            counters.inserted += 1
            livesSince[text] = revision + 1
            records[text] = Record(
                resource: page.resource, key: String(decoding: text, as: UTF8.self), body: body, firstSeenAt: now,
                changedAt: now, deletedAt: nil, run: page.run, revision: revision + 1)
            return
        }
        guard record.body != body || record.deletedAt != nil else {
            counters.unchanged += 1
            return
        }
        counters.updated += 1
        if record.deletedAt != nil { livesSince[text] = revision + 1 }
        (record.body, record.changedAt, record.deletedAt, record.run) = (body, now, nil, page.run)
        record.revision = revision + 1
        records[text] = record
    }

    private struct KeyText: Hashable {
        let kind: RecordKey.Kind
        let bytes: [UInt8]

        init(_ key: RecordKey, _ page: UnsafeRawBufferPointer) {
            kind = key.kind
            bytes = key.withBytes(in: page) { Array($0) }
        }
    }

    private static func lastOfEachKey(_ slices: [RecordSlice], _ page: UnsafeRawBufferPointer) -> [KeyText: Int] {
        slices.enumerated().reduce(into: [:]) { last, slice in
            if case .key(let key) = slice.element.outcome { last[KeyText(key, page)] = slice.offset }
        }
    }

    /// Moves the listing on: validators, checkpoint, and with the last page its end.
    mutating func move(_ page: PageCommit, _ progress: PageCommit.Progress, now: Timestamp) throws(StoreError) {
        let scope = page.page.scope
        guard var listing = open[scope], listings[scope] == page.listing else {
            throw StoreError(.leaseLost, "the listing of '\(page.resource)' was opened anew by another run")
        }
        remember(page, progress)
        listing.cursor.reached = progress.cursor?.reached ?? listing.cursor.reached
        if let moved = progress.cursor?.moved { cursor = (moved, now) }
        switch progress.next {
        case .page(let next):
            open[scope] = MemoryListing(next: next, checkpointAt: now, cursor: listing.cursor)
        case .cut:
            open[scope] = nil
        case .end:
            open[scope] = nil
            if scope.isEmpty { (completedAt, freshness) = (now, progress.freshness) }
            pages = pages.filter { $0.key.scope != scope || $0.value.listing == page.listing }
            quarantined = quarantined.filter { pages[$0.key] != nil }
        }
    }

    private mutating func remember(_ page: PageCommit, _ progress: PageCommit.Progress) {
        var stored = StoredPage(
            etag: progress.etag, lastModified: progress.lastModified, next: nil, recordCount: page.content.recordCount)
        switch progress.next {
        case .page(let next): stored.next = next
        case .end: break
        case .cut: (stored.etag, stored.lastModified) = (nil, nil)
        }
        pages[MemoryAddress(page.page)] = MemoryPage(stored: stored, listing: page.listing)
    }
}

extension PageCommit.Content {
    fileprivate var recordCount: Int {
        switch self {
        case .records(_, let slices): slices.count
        case .notModified(let count): count
        }
    }
}
