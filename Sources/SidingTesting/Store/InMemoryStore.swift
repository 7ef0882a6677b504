public import Siding

/// A store that lives and dies with its process: for tests, and for programs that need no file.
///
/// It keeps the same laws as the SQLite store (``StoreConformance``); every call changes everything or nothing.
public actor InMemoryStore: Store {
    private var tables = MemoryTables()
    private let clock: WallClock
    public nonisolated let changeSignal = ChangeSignal()
    /// Which process holds leases, entries and runs from now on.
    private var process = 1

    private let entryID: @Sendable () -> String

    /// An empty store whose stamps come from `clock`.
    public init(clock: WallClock = .system) {
        self.init(clock: clock, entryID: MemoryEntry.randomID)
    }

    init(clock: WallClock, entryID: @escaping @Sendable () -> String) {
        self.clock = clock
        self.entryID = entryID
    }

    /// Ends the process that holds leases, entries and runs, as a power cut would, and lets another one go on.
    public func crash() {
        process += 1
    }

    /// Changes a copy of the tables, and keeps it only where nothing was thrown.
    func change<Value>(_ body: (inout MemoryTables, MemoryMoment) throws(StoreError) -> Value) throws(StoreError)
        -> Value
    {
        var changed = tables
        let value = try body(&changed, MemoryMoment(now: clock.now, process: process, entryID: entryID))
        tables = changed
        return value
    }

    func read<Value>(_ body: (MemoryTables) throws(StoreError) -> Value) throws(StoreError) -> Value {
        try body(tables)
    }
}

/// When something happens, and in which process.
struct MemoryMoment {
    let now: Timestamp
    let process: Int
    /// Gives the id of an entry that is made now.
    let entryID: @Sendable () -> String

    /// The process as the history of an entry names it.
    var who: String { "process \(process)" }
}

extension InMemoryStore {
    public func beginRun(command: String) throws(StoreError) -> RunID {
        try change { (tables, moment) throws(StoreError) in
            for index in tables.runs.indices where tables.runs[index].isAbandoned(at: moment) {
                tables.runs[index].run.endedAt = moment.now
                tables.runs[index].run.outcome = .interrupted
            }
            tables.parkExpired(moment)
            let id = RunID(tables.runs.count + 1)
            let run = Run(id: id, command: command, startedAt: moment.now, endedAt: nil, outcome: nil, resources: [])
            tables.runs.append(MemoryRun(run: run, process: moment.process, revisions: tables.revisions))
            return id
        }
    }

    public func endResource(_ line: RunResource, in run: RunID, extra: RunCounters) throws(StoreError) {
        try change { (tables, _) throws(StoreError) in
            try tables.count(extra, of: line.resource, in: run)
            try tables.describe(line, in: run)
        }
    }

    public func endRun(_ run: RunID, outcome: RunOutcome) throws(StoreError) {
        try change { (tables, moment) throws(StoreError) in
            let index = try tables.index(of: run)
            tables.runs[index].run.endedAt = moment.now
            tables.runs[index].run.outcome = outcome
            tables.runs[index].revisions = tables.revisions
        }
    }

    public func runs(limit: Int) throws(StoreError) -> [Run] {
        try read { (tables) throws(StoreError) in Array(tables.runs.map(\.run).reversed().prefix(max(limit, 0))) }
    }

    public func run(_ id: RunID) throws(StoreError) -> Run? {
        try read { (tables) throws(StoreError) in tables.runs.first { $0.run.id == id }?.run }
    }
}

extension InMemoryStore {
    public func acquireLease(_ name: String, command: String) throws(StoreError) -> LeaseOutcome {
        try change { (tables, moment) throws(StoreError) in
            var lease = tables.leases[name] ?? MemoryLease(token: 0)
            if lease.process == moment.process, let holder = lease.holder { return .held(by: holder) }
            lease.token += 1
            lease.process = moment.process
            lease.holder = LeaseHolder(
                processID: Int32(clamping: moment.process), host: "memory", command: command, since: moment.now)
            tables.leases[name] = lease
            return .acquired(Lease(name: name, token: lease.token))
        }
    }

    public func releaseLease(_ lease: Lease) throws(StoreError) {
        try change { (tables, moment) throws(StoreError) in
            guard tables.holds(lease, moment) else { return }
            tables.leases[lease.name] = MemoryLease(token: lease.token)
            if let resource = lease.resource { tables.giveBack(resource, moment) }
        }
    }
}
