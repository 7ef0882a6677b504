internal import SidingJSON
internal import Siding
internal import SidingChain

/// What an ``InMemoryStore`` holds: values, so that a change that fails leaves nothing behind.
struct MemoryTables {
    var runs: [MemoryRun] = []
    var leases: [String: MemoryLease] = [:]
    var resources: [String: MemoryResource] = [:]
    /// Oldest first.
    var queue: [MemoryEntry] = []
    /// The process that has an entry in hand.
    var senders: [String: Int] = [:]
    /// The scope of each fetch.
    var scopes: [String: String] = [:]
    var standings: [String: SourceStanding] = [:]
}

struct MemoryRun {
    var run: Run
    let process: Int
    /// Where all resources stood when it ended; while it runs, when it began.
    var revisions: [String: Int64] = [:]

    func isAbandoned(at moment: MemoryMoment) -> Bool { run.endedAt == nil && process != moment.process }
}

/// Nobody holds it where `process` is nil; the token outlives its holders.
struct MemoryLease {
    var token: Int64
    var process: Int?
    var holder: LeaseHolder?
}

struct MemoryResource {
    var source: String
    var definition: ResourceDefinition
    var keyKind: RecordKey.Kind?
    var completedAt: Timestamp?
    /// When a listing, or a round, last left all records known.
    var knownAt: Timestamp?
    var freshness = ListingFreshness()
    /// Whether a person has set the cursor since.
    var asksAnew = false
    /// By the bytes of the key: texts that only look alike are different keys.
    var records: [[UInt8]: Record] = [:]
    /// Grows with each call that writes records.
    var revision: Int64 = 0
    /// The revisions at which the records' lives began, by the bytes of the keys.
    var livesSince: [[UInt8]: Int64] = [:]
    var pages: [MemoryAddress: MemoryPage] = [:]
    /// Records that broke their contract, by page.
    var quarantined: [MemoryAddress: Int] = [:]
    /// The pages of which the whole answer was set aside.
    var answersSetAside: Set<MemoryAddress> = []
    var listings: [String: Int64] = [:]
    /// How far the resource has come, and when that was found, by scope.
    var cursors: [String: (value: String, movedAt: Timestamp)] = [:]
    /// The newest round over the parents.
    var round: RoundState?
    /// The listings of parents, by their keys.
    var scoped: [String: MemoryScope] = [:]
    /// The listings that go on, by scope.
    var open: [String: MemoryListing] = [:]
    /// Whether it is kept which records each page shows.
    var tracksMembers = false
    /// Whether the definition changed, and nothing was complete since then.
    var isRedefined = false
    /// Records that pages showed once and do not show now; by the key of a parent that is gone, or under nothing.
    var departures: [String: Set<[UInt8]>] = [:]
    /// Records that the last complete listing, or round over all parents, lacked, and that are not deleted.
    var absences: Set<[UInt8]> = []
    /// What the origin said of absent records when it was asked.
    var inquiries: [[UInt8]: MemoryInquiry] = [:]
    /// Whether the last complete listing had one page only.
    var wasSingle = false
    /// The parents in whose listings records were seen last.
    var seenIn: [[UInt8]: String] = [:]
    /// What each run deleted, and when.
    var tombstones: [RunID: [[UInt8]: Timestamp]] = [:]
}

/// Where a page is found.
struct MemoryAddress: Hashable {
    var scope: String
    var url: HTTPURL
    var body: String?

    init(_ page: PageRequest) { (scope, url, body) = (page.scope, page.url, page.body) }
}

struct MemoryPage {
    var stored: StoredPage
    var listing: Int64
    /// The records that it shows; nil where not all are known.
    var members: Set<[UInt8]>?
}

struct MemoryListing {
    var next: PageRequest
    var checkpointAt: Timestamp
    var cursor: ListingCursor
    /// The run that began it.
    var run: RunID
    var pages = 0
    /// Whether all records are known once it is complete.
    var knowsAll = false
    /// What its first page said.
    var freshness = ListingFreshness()
}

struct MemoryEntry {
    var entry: QueueEntry
    var expiresAt: Timestamp?
    var history: [QueueEvent] = []

    var isFetch: Bool { entry.kind == .fetch && !entry.state.isSettled }

    mutating func note(_ event: String, _ detail: String?, _ moment: MemoryMoment) {
        history.append(QueueEvent(at: moment.now, who: moment.who, event: event, detail: detail))
    }
}

extension MemoryTables {
    func holds(_ lease: Lease, _ moment: MemoryMoment) -> Bool {
        leases[lease.name].map { $0.token == lease.token && $0.process == moment.process } ?? false
    }

    func check(_ lease: Lease, _ moment: MemoryMoment) throws(StoreError) {
        guard holds(lease, moment) else {
            throw StoreError(.leaseLost, "another run took over \(lease.name); nothing more was written by this one")
        }
    }

    func resource(_ name: String) throws(StoreError) -> MemoryResource {
        guard let resource = resources[name] else {
            throw StoreError(.notFound, "nothing is stored of a resource '\(PlainText.oneLine(name, limit: 100))'")
        }
        return resource
    }

    // MARK: Runs

    func index(of run: RunID) throws(StoreError) -> Int {
        guard let index = runs.firstIndex(where: { $0.run.id == run }) else {
            throw StoreError(.notFound, "there is no run \(run)")
        }
        return index
    }

    mutating func count(_ counters: RunCounters, of resource: String, in run: RunID) throws(StoreError) {
        try change(resource, in: run) { $0.counters += counters }
    }

    mutating func describe(_ line: RunResource, in run: RunID) throws(StoreError) {
        try change(line.resource, in: run) { stored in
            let counters = stored.counters
            stored = line
            stored.counters = counters
        }
    }

    private mutating func change(
        _ resource: String, in run: RunID, _ body: (inout RunResource) -> Void
    ) throws(StoreError) {
        let index = try index(of: run)
        var lines = runs[index].run.resources
        if !lines.contains(where: { $0.resource == resource }) {
            lines.append(RunResource(resource: resource, outcome: nil))
            lines.sort { $0.resource < $1.resource }
        }
        for line in lines.indices where lines[line].resource == resource { body(&lines[line]) }
        runs[index].run.resources = lines
    }
}
