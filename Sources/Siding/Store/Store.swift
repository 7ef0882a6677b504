/// What the engine and its users need of persistence: few, coarse calls, each of which happens whole or not at all.
///
/// SQLite is the first engine behind it. `StoreConformance` in `SidingTesting` holds the laws that any other must keep.
/// Nothing above this protocol knows SQL.
public protocol Store: RunStore, LeaseStore, ListingStore, QueueStore, RecordStore, SelectionStore, LocalRecordStore,
    ChangeStore, TextSearchStore, DeletionStore, RoundStore
{}

/// The history of runs.
public protocol RunStore: Sendable {
    /// Opens a run record; runs that ended with their process are closed as interrupted.
    func beginRun(command: String) async throws(StoreError) -> RunID

    /// Writes a resource's outcome, notes and error. Its counters are already there: they moved with its pages.
    ///
    /// - Parameter extra: counters of requests that led to no page.
    func endResource(_ line: RunResource, in run: RunID, extra: RunCounters) async throws(StoreError)

    func endRun(_ run: RunID, outcome: RunOutcome) async throws(StoreError)

    /// The newest runs first.
    func runs(limit: Int) async throws(StoreError) -> [Run]

    func run(_ id: RunID) async throws(StoreError) -> Run?
}

/// Who works on what.
public protocol LeaseStore: Sendable {
    /// Takes the lease `name` if nobody holds it, or its holder is dead.
    func acquireLease(_ name: String, command: String) async throws(StoreError) -> LeaseOutcome

    /// Gives the lease back; a lease that was lost meanwhile is left alone.
    func releaseLease(_ lease: Lease) async throws(StoreError)
}

/// Listings and their pages.
public protocol ListingStore: Sendable {
    /// Opens a listing: at its checkpoint or retained fetch where there is one, else at the first page.
    ///
    /// A changed definition discards checkpoint, validators and retained fetch first. A retained fetch that is taken up is
    /// claimed; one whose sender died is counted as a crash, and parked as poison after three.
    func openListing(_ opening: ListingOpening) async throws(StoreError) -> ListingPosition

    /// Drops the checkpoint, settles the retained fetch as superseded, and opens a new listing at its first page.
    ///
    /// The stored cursor is forgotten where ``ListingOpening/forgetsCursor`` says so.
    func restartListing(_ opening: ListingOpening, because reason: String) async throws(StoreError) -> ListingPosition

    /// The cursor of a resource; nil where it has none yet.
    ///
    /// - Parameter scope: as of ``PageRequest/scope``.
    func cursor(of resource: String, scope: String) async throws(StoreError) -> StoredCursor?

    /// Sets the cursor of a resource as a person says, or forgets it; an open listing is dropped, as it began elsewhere.
    ///
    /// - Throws: ``StoreError/Kind/notFound`` for a resource that was never opened, ``StoreError/Kind/leaseLost``.
    func setCursor(_ value: String?, of resource: String, lease: Lease) async throws(StoreError)

    /// What is stored of the page with this URL.
    func storedPage(_ page: PageRequest, of resource: String) async throws(StoreError) -> StoredPage?

    /// What decides whether a resource is asked for at all; nil where it was never opened. No records are counted for it.
    func freshness(of resource: String) async throws(StoreError) -> ResourceFreshness?

    /// Commits a page: records, validators, checkpoint, run counters, the settling of its retained fetch; and with the
    /// last page the closing of the listing.
    ///
    /// - Returns: the counters of this page.
    /// - Throws: ``StoreError/Kind/leaseLost`` where another run took over; nothing is changed then.
    func commit(_ page: PageCommit) async throws(StoreError) -> RunCounters

    /// Retains a fetch, unique per resource: a newer one takes the place of the older.
    func retain(_ fetch: FetchRetention) async throws(StoreError) -> QueueEntry
}

extension ListingStore {
    /// The cursor of a resource with one listing; nil where it has none yet.
    public func cursor(of resource: String) async throws(StoreError) -> StoredCursor? {
        try await cursor(of: resource, scope: "")
    }
}

/// The queue as a person sees it.
public protocol QueueStore: Sendable {
    /// The entries that `selection` means, oldest first.
    ///
    /// - Throws: ``StoreError/Kind/notFound`` where an id leads to no entry, ``StoreError/Kind/ambiguous`` where a prefix
    ///   leads to several.
    func entries(_ selection: QueueSelection) async throws(StoreError) -> [QueueEntry]

    /// What happened to an entry, oldest first.
    func history(of entry: String) async throws(StoreError) -> [QueueEvent]

    /// Carries out a person's word on every entry that `selection` means, all at once.
    func perform(_ action: QueueAction, on selection: QueueSelection) async throws(StoreError) -> [QueueChange]

    func gates() async throws(StoreError) -> [SourceGate]

    /// Keeps what a request taught about its source, for all processes; where an outage ended, what waited for the line is
    /// due.
    func learn(_ lesson: SourceLesson, of source: String) async throws(StoreError)

    /// Opens the gate of a source because a person says so.
    func openGate(ofSource source: String) async throws(StoreError)
}

/// Stored records.
public protocol RecordStore: Sendable {
    /// Records in key order, from behind `key`.
    func records(
        of resource: String, after key: String?, limit: Int, deleted: Bool
    ) async throws(StoreError) -> [Record]

    func record(of resource: String, key: String) async throws(StoreError) -> Record?

    func count(of resource: String) async throws(StoreError) -> RecordCount

    /// The state of every resource that was ever synced, by name.
    func resourceStates() async throws(StoreError) -> [ResourceState]
}
