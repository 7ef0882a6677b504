import Siding

/// A store that stands before another one, so that a test can look at a call, hold it up, or answer in its place.
struct StoreSpy: Store {
    typealias Commit = @Sendable (any Store, PageCommit) async throws(StoreError) -> RunCounters
    typealias Acquire = @Sendable (any Store, String, String) async throws(StoreError) -> LeaseOutcome
    typealias Lookup = @Sendable (any Store, RecordLookup) async throws(StoreError) -> [Record]
    typealias Runs = @Sendable (any Store, Int) async throws(StoreError) -> [Run]

    let inner: any Store
    let onCommit: Commit
    let onAcquire: Acquire
    let onRuns: Runs
    let onLookup: Lookup

    init(
        _ inner: any Store,
        commit: @escaping Commit = { inner, page throws(StoreError) in try await inner.commit(page) },
        acquireLease: @escaping Acquire = { inner, name, command throws(StoreError) in
            try await inner.acquireLease(name, command: command)
        },
        runs: @escaping Runs = { inner, limit throws(StoreError) in try await inner.runs(limit: limit) },
        lookup: @escaping Lookup = { inner, lookup throws(StoreError) in try await inner.records(lookup) }
    ) {
        self.inner = inner
        onCommit = commit
        onAcquire = acquireLease
        onRuns = runs
        onLookup = lookup
    }

    func commit(_ page: PageCommit) async throws(StoreError) -> RunCounters { try await onCommit(inner, page) }

    func acquireLease(_ name: String, command: String) async throws(StoreError) -> LeaseOutcome {
        try await onAcquire(inner, name, command)
    }

    func runs(limit: Int) async throws(StoreError) -> [Run] { try await onRuns(inner, limit) }
}

extension StoreSpy {
    func beginRun(command: String) async throws(StoreError) -> RunID { try await inner.beginRun(command: command) }

    func endResource(_ line: RunResource, in run: RunID, extra: RunCounters) async throws(StoreError) {
        try await inner.endResource(line, in: run, extra: extra)
    }

    func endRun(_ run: RunID, outcome: RunOutcome) async throws(StoreError) {
        try await inner.endRun(run, outcome: outcome)
    }

    func run(_ id: RunID) async throws(StoreError) -> Run? { try await inner.run(id) }

    func releaseLease(_ lease: Lease) async throws(StoreError) { try await inner.releaseLease(lease) }

    func openListing(_ opening: ListingOpening) async throws(StoreError) -> ListingPosition {
        try await inner.openListing(opening)
    }

    func restartListing(
        _ opening: ListingOpening, because reason: String
    ) async throws(StoreError) -> ListingPosition {
        try await inner.restartListing(opening, because: reason)
    }

    func storedPage(_ page: PageRequest, of resource: String) async throws(StoreError) -> StoredPage? {
        try await inner.storedPage(page, of: resource)
    }

    func freshness(of resource: String) async throws(StoreError) -> ResourceFreshness? {
        try await inner.freshness(of: resource)
    }

    func cursor(of resource: String, scope: String) async throws(StoreError) -> StoredCursor? {
        try await inner.cursor(of: resource, scope: scope)
    }

    func openRound(_ opening: RoundOpening) async throws(StoreError) -> RoundPosition {
        try await inner.openRound(opening)
    }

    func endRound(_ round: RoundEnd) async throws(StoreError) -> RoundFindings { try await inner.endRound(round) }

    func parents(_ selection: ParentSelection) async throws(StoreError) -> [Parent] {
        try await inner.parents(selection)
    }

    func outlook(_ selection: ParentSelection) async throws(StoreError) -> ParentOutlook {
        try await inner.outlook(selection)
    }

    func keys(ofQuery sql: String) async throws(StoreError) -> [String] { try await inner.keys(ofQuery: sql) }

    func scopedCursors(of resource: String) async throws(StoreError) -> [ScopedCursor] {
        try await inner.scopedCursors(of: resource)
    }

    func setCursor(_ value: String?, of resource: String, lease: Lease) async throws(StoreError) {
        try await inner.setCursor(value, of: resource, lease: lease)
    }

    func retain(_ fetch: FetchRetention) async throws(StoreError) -> QueueEntry { try await inner.retain(fetch) }

    func entries(_ selection: QueueSelection) async throws(StoreError) -> [QueueEntry] {
        try await inner.entries(selection)
    }

    func history(of entry: String) async throws(StoreError) -> [QueueEvent] { try await inner.history(of: entry) }

    func perform(_ action: QueueAction, on selection: QueueSelection) async throws(StoreError) -> [QueueChange] {
        try await inner.perform(action, on: selection)
    }

    func gates() async throws(StoreError) -> [SourceGate] { try await inner.gates() }

    func learn(_ lesson: SourceLesson, of source: String) async throws(StoreError) {
        try await inner.learn(lesson, of: source)
    }

    func openGate(ofSource source: String) async throws(StoreError) { try await inner.openGate(ofSource: source) }

    func records(
        of resource: String, after key: String?, limit: Int, deleted: Bool
    ) async throws(StoreError) -> [Record] {
        try await inner.records(of: resource, after: key, limit: limit, deleted: deleted)
    }

    func record(of resource: String, key: String) async throws(StoreError) -> Record? {
        try await inner.record(of: resource, key: key)
    }

    func count(of resource: String) async throws(StoreError) -> RecordCount { try await inner.count(of: resource) }

    func resourceStates() async throws(StoreError) -> [ResourceState] { try await inner.resourceStates() }

    func select(_ selection: RecordSelection) async throws(StoreError) -> RecordBatch {
        try await inner.select(selection)
    }

    func keys(_ selection: RecordSelection) async throws(StoreError) -> [String] { try await inner.keys(selection) }

    func records(_ lookup: RecordLookup) async throws(StoreError) -> [Record] { try await onLookup(inner, lookup) }

    func count(_ selection: RecordSelection) async throws(StoreError) -> Int { try await inner.count(selection) }

    func apply(_ changes: RecordChanges) async throws(StoreError) -> [RecordChangeOutcome]? {
        try await inner.apply(changes)
    }

    func delete(_ selection: RecordSelection) async throws(StoreError) -> Int { try await inner.delete(selection) }

    func delete(_ lookup: RecordLookup) async throws(StoreError) -> Int { try await inner.delete(lookup) }

    var changeSignal: ChangeSignal { inner.changeSignal }

    func changedKeys(of resource: String, since revision: Int64) async throws(StoreError) -> ChangedKeys {
        try await inner.changedKeys(of: resource, since: revision)
    }

    func changes(of resource: String, since run: RunID) async throws(StoreError) -> RecordsSince {
        try await inner.changes(of: resource, since: run)
    }

    func missingKeys(of resource: String, limit: Int) async throws(StoreError) -> [String] {
        try await inner.missingKeys(of: resource, limit: limit)
    }

    func doubtful(
        of resource: String, askedBefore moment: Timestamp
    ) async throws(StoreError) -> DoubtfulRecords {
        try await inner.doubtful(of: resource, askedBefore: moment)
    }

    func settle(_ findings: AbsenceFindings) async throws(StoreError) -> RunCounters {
        try await inner.settle(findings)
    }

    func undelete(_ run: RunID) async throws(StoreError) -> [String: Int] { try await inner.undelete(run) }

    func search(_ search: TextSearch) async throws(StoreError) -> [TextMatch] { try await inner.search(search) }
}
