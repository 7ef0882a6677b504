// SPDX-License-Identifier: Apache-2.0
package import SidingChain
internal import SidingSQLite
internal import SidingSynchronization

/// The state of a fan-out pass when it is opened.
struct PassPosition: Sendable, Hashable {
    var pass: Int64
    /// Whether all parents are due, changed or not.
    var takesAll: Bool
    var isResumed: Bool
    var changedAspects: [DefinitionAspect] = []
    /// What opening it added to the run's counters: the stored records that a changed `where` filtered out.
    var counters = RunCounters()
    /// Why an old pass was dropped; nil if none was.
    var droppedPass: String?
    /// When all its parents had been asked, and some of them stayed in the queue; nil before that.
    var askedAt: Timestamp?
}

/// A stored fan-out pass.
package struct PassState: Sendable, Hashable {
    package var pass: Int64
    package var isOpen: Bool
    var takesAll: Bool
    var startedAt: Timestamp
    /// See ``PassPosition/askedAt``.
    var askedAt: Timestamp?
    var endedAt: Timestamp?

    /// How old its last progress may be for it to go on.
    var limit: Duration { askedAt == nil ? Resumption.passLimit : Resumption.limit }
}

/// How a fan-out pass ended.
struct PassEnd: Sendable {
    var resource: String
    var parent: String
    var pass: Int64
    var lease: Lease
    var run: RunID
    /// Whether every parent's listing is complete, and with it the resource.
    var isComplete: Bool
    /// Whether only new and changed parents were asked about: then absence proves nothing.
    var isOfChanges = false
    /// Which missing or filtered-out records may be deleted.
    var deletions = DeletionTerms()
    /// The shard whose parents the pass was over; nil for all parents.
    var shard: Shard?

    /// Whether the pass was to list this parent.
    func takes(_ parent: String) -> Bool { shard?.owns(parent: parent, of: resource) ?? true }
}

/// The result of reconciling deletions at the end of a fan-out pass.
struct PassFindings: Sendable, Hashable {
    /// The numbers of deleted records and blocked deletions.
    var counters = RunCounters()
    /// Those of them whose parents other shards fetch.
    var ofOtherShards = RunCounters()
    /// Records that no page shows any more but that were kept, because the pass does not count.
    var unproven = 0
    /// Whether records left the view that no counter counts; see ``UnnamedCreates``.
    var hasHidden = false
    /// Live parents whose listing was not completed in the pass.
    var unasked = 0
    /// Whether the parents were not listed completely since the last complete pass, so that some may not be stored.
    var areParentsUnlisted = false
    /// Listings with pages whose records are not all known.
    var unknown = 0
    /// Whether several runs read the pass, and its pages are not stable.
    var isInterrupted = false

    /// Whether the pass counts.
    var isProof: Bool { unasked == 0 && unknown == 0 && !areParentsUnlisted && !isInterrupted }
}

/// Selects parents of a fan-out.
struct ParentSelection: Sendable, Hashable {
    /// The resource with a listing per parent.
    var resource: String
    /// The resource of the parents.
    var parent: String
    /// Skips parents whose listing ended in this pass; nil skips none.
    var pass: Int64?
    /// Which of the parents in this pass, by the run that selects them; nil for all.
    var turn: ParentTurn?
    /// Only parents that are new or changed, or whose listing is not complete.
    var areChanged = false
    var filter: RecordFilter?
    /// Only these keys; nil for all.
    var keys: [String]?
    /// Only keys after this one.
    var after: String?
    /// Nil for no limit.
    var limit: Int?
}

/// The turns of the parents in a fan-out pass that a run continues: one that refuses for good must not keep the others waiting.
enum ParentTurn: Sendable, Hashable {
    /// Those that no earlier run of the pass has begun to list.
    case first(RunID)
    /// Those that one has, and has not listed whole.
    case again(RunID)

    /// The turns of a run, one after the other; nil takes all parents.
    static func all(in pass: PassPosition?, of run: RunID) -> [ParentTurn?] {
        pass?.isResumed == true ? [.first(run), .again(run)] : [nil]
    }
}

/// A record with a listing of its own in another resource.
struct Parent: Sendable, Hashable {
    var key: String
    var body: [UInt8]
    /// The revision of its resource when it was last written.
    var revision: Int64
}

/// The parent of a listing that is being opened.
struct ListingParent: Sendable, Hashable {
    var resource: String
    var revision: Int64 = 0
    /// The fan-out pass; nil for an ad-hoc listing.
    var pass: Int64?
}

/// The number of parents, and of those that are due.
package struct ParentOutlook: Sendable, Hashable {
    /// All that match the filter.
    package var all = 0
    package var due = 0
    /// Due because they were never listed.
    package var new = 0
    /// Due because the listing is not complete.
    package var unfinished = 0
    /// Due because the parent changed since its listing began.
    package var changed = 0
}

/// The cursor of one parent's listing.
package struct ScopedCursor: Sendable, Hashable {
    /// The key of the parent.
    package var scope: String
    package var value: String
    package var movedAt: Timestamp
}

extension Store {
    /// Resumes the open fan-out pass, or begins a new one: if none is open, if it is too old (``PassState/limit``), or if everything
    /// is listed again.
    ///
    /// A changed definition first deletes all listings.
    func openPass(_ opening: ListingOpening) async throws(StoreError) -> PassPosition {
        try await write(under: opening.lease) { try PassesTable.open(opening, $0, $1) }
    }

    /// Ends the fan-out pass. Deletes the listings of parents that are gone, and supersedes retained fetches of parents outside
    /// of this pass.
    ///
    /// - Returns: what it added to the run's counters, and the missing records that were kept.
    @discardableResult
    func endPass(_ pass: PassEnd) async throws(StoreError) -> PassFindings {
        let findings = try await write(under: pass.lease) { try PassesTable.end(pass, $0, $1) }
        if findings.counters.deleted > 0 || findings.hasHidden { changeSignal.fire() }
        return findings
    }

    /// Records that all parents of the open pass have been asked, and that some of them stay in the queue.
    func noteAllAsked(in pass: Int64, of resource: String, lease: Lease) async throws(StoreError) {
        try await write(under: lease) { try PassesTable.setAsked(pass, of: resource, at: $0.now, $1) }
    }

    /// The live parents that are due, in the order of their keys.
    func parents(_ selection: ParentSelection) async throws(StoreError) -> [Parent] {
        try await read { snapshot in
            let statement = try ParentCompiler(selection, snapshot).due()
            return try snapshot.query(statement) { row in
                Parent(key: try row.text("key"), body: try row.blob("body"), revision: try row.int("revision"))
            }
        }
    }

    /// The keys of the live parents that are due, in their order.
    func parentKeys(_ selection: ParentSelection) async throws(StoreError) -> [String] {
        try await read { snapshot in
            try snapshot.query(try ParentCompiler(selection, snapshot).dueKeys()) { $0.text(0) }
        }
    }

    /// The number of parents, and why they are due; ignores ``ParentSelection/limit``.
    func outlook(_ selection: ParentSelection) async throws(StoreError) -> ParentOutlook {
        try await read { snapshot in
            let statement = try ParentCompiler(selection, snapshot).outlook()
            return try snapshot.query(statement) { row in
                ParentOutlook(
                    all: Int(try row.int("all")), due: Int(try row.int("due")), new: Int(try row.int("new")),
                    unfinished: Int(try row.int("unfinished")), changed: Int(try row.int("changed")))
            }.first ?? ParentOutlook()
        }
    }

    /// The values of a statement's first column in byte order: text unchanged, integers as digits.
    ///
    /// - Throws: ``StoreError/Kind/invalidQuery`` if the statement does more than read.
    func keys(ofQuery sql: String) async throws(StoreError) -> [String] {
        let keys = Mutex<Set<String>>([])
        do {
            try await query(sql) { row in
                switch row.first {
                case .text(let text): keys.withLock { _ = $0.insert(text) }
                case .integer(let integer): keys.withLock { _ = $0.insert(String(integer)) }
                case .real, .blob, .null, nil: break
                }
            }
        } catch { throw StoreError(mapping: error) }
        return keys.withLock { $0 }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// The cursor of each parent's listing; the one that moved least recently first.
    package func scopedCursors(of resource: String) async throws(StoreError) -> [ScopedCursor] {
        try await read { snapshot in
            try ResourcesTable.id(of: resource, snapshot).map { try CursorsTable.loadScoped(of: $0, snapshot) } ?? []
        }
    }
}
