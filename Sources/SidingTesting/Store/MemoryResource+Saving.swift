internal import SidingJSON
internal import Siding

extension MemoryResource {
    /// Saves the records of a page; a 304 saves none.
    ///
    /// - Returns: what it did, and what the page shows; nil of the latter for a 304.
    mutating func save(_ page: PageCommit, now: Timestamp) -> (RunCounters, MemoryShown?) {
        var counters = RunCounters()
        var shown: MemoryShown?
        let known = records.count
        switch page.content {
        case .notModified:
            counters.notModified = 1
        case .setAside:
            (counters.quarantined, counters.answersSetAside) = (1, 1)
            shown = MemoryShown()
            shown?.hasUnknown = true
        case .records(let bytes, let slices):
            shown = MemoryShown()
            bytes.withUnsafeBytes { raw in
                let last = Self.lastOfEachKey(slices, raw)
                for (index, slice) in slices.enumerated() {
                    guard case .key(let key) = slice.outcome else {
                        counters.quarantined += 1
                        shown?.hasUnknown = true
                        continue
                    }
                    shown?.keys.insert(key.withBytes(in: raw) { Array($0) })
                    keyKind = keyKind ?? key.kind
                    guard last[KeyText(key, raw)] == index else {
                        counters.duplicates += 1
                        continue
                    }
                    guard key.kind == keyKind else {
                        counters.quarantined += 1
                        continue
                    }
                    let fresh = save(key, body: Array(raw[slice.range]), in: raw, page, now, &counters)
                    if let fresh { shown?.fresh.insert(fresh) }
                    if !page.page.scope.isEmpty { seenIn[key.withBytes(in: raw) { Array($0) }] = page.page.scope }
                }
            }
        }
        // A record that was never seen alive is written, too.
        if counters.updated + counters.deleted > 0 || records.count > known { revision += 1 }
        if shown != nil {
            let address = MemoryAddress(page.page)
            quarantined[address] = counters.quarantined
            answersSetAside.remove(address)
            if counters.answersSetAside > 0 { answersSetAside.insert(address) }
        }
        return (counters, shown)
    }

    private mutating func save(
        _ key: RecordKey, body: [UInt8], in raw: UnsafeRawBufferPointer, _ page: PageCommit, _ now: Timestamp,
        _ counters: inout RunCounters
    ) -> [UInt8]? {
        let text = key.withBytes(in: raw) { Array($0) }
        let isDeleted = body.withUnsafeBytes { page.deletions.rule.mark?.marks($0) ?? false }
        guard var record = records[text] else {
            if isDeleted { counters.unchanged += 1 } else { counters.inserted += 1 }
            livesSince[text] = revision + 1
            records[text] = Record(
                resource: page.resource, key: String(decoding: text, as: UTF8.self), body: body, firstSeenAt: now,
                changedAt: now, deletedAt: isDeleted ? now : nil, run: page.run, revision: revision + 1)
            return isDeleted ? nil : text
        }
        let wasDeleted = record.deletedAt != nil
        guard record.body != body || wasDeleted != isDeleted else {
            counters.unchanged += 1
            return nil
        }
        if isDeleted, !wasDeleted {
            counters.deleted += 1
            tombstones[page.run, default: [:]][text] = now
        } else {
            counters.updated += 1
        }
        if wasDeleted, !isDeleted { livesSince[text] = revision + 1 }
        (record.body, record.changedAt, record.run) = (body, now, page.run)
        record.deletedAt = isDeleted ? record.deletedAt ?? now : nil
        // A tombstone that stays one is no news.
        if !(wasDeleted && isDeleted) { record.revision = revision + 1 }
        records[text] = record
        return wasDeleted && !isDeleted ? text : nil
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
    ///
    /// - Returns: what the end deleted and withheld.
    mutating func move(
        _ page: PageCommit, _ progress: PageCommit.Progress, _ shown: MemoryShown?, now: Timestamp
    ) throws(StoreError) -> RunCounters {
        let scope = page.page.scope
        guard var listing = open[scope], listings[scope] == page.listing else {
            throw StoreError(.leaseLost, "the listing of '\(page.resource)' was opened anew by another run")
        }
        remember(page, progress, now: now)
        listing.freshness = progress.freshness
        if let shown { remember(shown, on: page.page, isWhole: listing.cursor.from == nil, isKept: true) }
        listing.pages += 1
        if page.hasNoList { listing.knowsAll = false }
        scoped[scope]?.move(progress.next, now: now)
        scoped[scope]?.knowsAll = listing.knowsAll
        if let cursor = progress.cursor {
            (listing.cursor.reached, listing.cursor.from, listing.cursor.waits) = (
                cursor.reached, cursor.from, cursor.waits
            )
            if let moved = cursor.moved {
                cursors[scope] = (moved, now)
            } else if cursor.takesBack {
                cursors[scope] = nil
            }
        }
        switch progress.next {
        case .page(let next):
            (listing.next, listing.checkpointAt) = (next, now)
            open[scope] = listing
        case .cut:
            open[scope] = nil
        case .end:
            open[scope] = nil
            // From beyond the cursor on: between the two lies what nobody has asked for.
            let isPassing = listing.cursor.from != nil && !listing.cursor.moves
            if scope.isEmpty, !isPassing {
                (completedAt, freshness, asksAnew) = (now, progress.freshness, false)
                if listing.knowsAll { knownAt = now }
            }
            forgetPages { address, stored in address.scope == scope && stored.listing != page.listing }
            quarantined = quarantined.filter { pages[$0.key] != nil }
            return settleListing(page, listing, now: now)
        }
        return RunCounters()
    }

    /// Records were written otherwise than by their own page: what cannot be told not to show them is asked for whole.
    mutating func forgetValidators(showing keys: Set<[UInt8]>) {
        for (address, page) in pages where page.members.map({ !$0.isDisjoint(with: keys) }) ?? true {
            pages[address]?.stored.etag = nil
            pages[address]?.stored.lastModified = nil
        }
    }

    private mutating func remember(_ page: PageCommit, _ progress: PageCommit.Progress, now: Timestamp) {
        let before = pages[MemoryAddress(page.page)]?.stored
        var stored = StoredPage(
            etag: progress.etag, lastModified: progress.lastModified, next: nil, recordCount: page.content.recordCount,
            lead: progress.lead ?? before?.lead, readAt: page.content.isWhole ? now : before?.readAt,
            furthest: progress.furthest, digest: progress.digest)
        switch progress.next {
        case .page(let next): stored.next = next
        case .end: stored.next = progress.behind
        case .cut: (stored.etag, stored.lastModified) = (nil, nil)
        }
        if page.hasNoList { (stored.etag, stored.lastModified) = (nil, nil) }
        let members = pages[MemoryAddress(page.page)]?.members
        pages[MemoryAddress(page.page)] = MemoryPage(stored: stored, listing: page.listing, members: members)
    }
}

extension MemoryResource {
    /// - Parameter scope: nil for all.
    mutating func forgetValidators(scope: String?) {
        for address in pages.keys where scope == nil || address.scope == scope {
            pages[address]?.stored.etag = nil
            pages[address]?.stored.lastModified = nil
        }
    }
}
