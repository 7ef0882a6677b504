import Siding
import SidingChain
import SidingJSON
import SidingManifest
import SidingNetwork

/// The data of `siding status`: resources, queue, gates, rate limits, last run and database.
struct Overview {
    struct ResourceLine {
        var name: String
        var source: String
        var records: Int
        var quarantined: Int
        /// Missing records: in no page of the last complete listings, and not deleted yet.
        var missing: Int
        /// Why the last listing is incomplete.
        var incomplete: String?
        var completedAt: Timestamp?
        var checkpointPage: Int?
        /// Whether a fan-out pass is unfinished.
        var isPassOpen: Bool
        var isStale: Bool
        /// Whether a process syncs it now.
        var isRunning: Bool
        /// Its failed syncs since the last success; nil if there are none.
        var failure: FailureStreak?
        /// Until when the origin declares the stored data fresh, and the time before which it asks not to be requested.
        var reported: ListingFreshness
    }

    var resources: [ResourceLine]
    var waiting: [QueueCount]
    var gates: [SourceGate]
    var limits: [RateLimitReport]
    /// What the network carried for the syncs of the last 24 hours.
    var bytesLastDay: Int
    var lastRun: Run?
    var database: DatabaseDescription
    var hasRoute: Bool
    var now: Timestamp

    static func gather(
        _ workspace: Workspace, _ store: Store, maxAge: Duration?, now: Timestamp
    ) async throws -> Overview {
        let states = try await store.resourceStates()
        let runs = try await store.runs(limit: 100)
        let held = Set(try await store.leases().filter(\.isAlive).map(\.name))
        let lines = workspace.config.resources.map { resource in
            let state = states.first { $0.resource == resource.name }
            let limit = maxAge ?? resource.maxAge
            let age = state?.completedAt.map { now - $0 }
            let reported = ListingFreshness(
                freshUntil: state?.resourceFreshness.freshUntil(at: now),
                notBefore: state?.resourceFreshness.notBefore(at: now))
            return ResourceLine(
                name: resource.name, source: resource.source.name, records: state?.records ?? 0,
                quarantined: state?.quarantined ?? 0, missing: state?.missing ?? 0,
                incomplete: state?.incomplete, completedAt: state?.completedAt,
                checkpointPage: state?.checkpoint?.number,
                isPassOpen: state?.pass?.isOpen ?? false,
                isStale: reported.freshUntil == nil && limit.map { Self.isOver($0, age) } ?? false,
                isRunning: held.contains(Lease.name(ofResource: resource.name)),
                failure: FailureStreak(of: resource.name, in: runs),
                reported: reported)
        }
        return Overview(
            resources: lines, waiting: try await store.queueCounts(),
            gates: try await store.gates().filter { $0.isBelieved(at: now) },
            limits: try await store.rateLimits(),
            bytesLastDay: try await store.bytes(since: now + .seconds(-86_400)), lastRun: runs.first,
            database: try await store.description(),
            hasRoute: LinuxConnectivity().hasUsableRoute(), now: now)
    }

    /// Whether a resource of `age` is older than `limit`: also if it was never complete, or is from over a minute
    /// ahead, as the clock was set back then.
    private static func isOver(_ limit: Duration, _ age: Duration?) -> Bool {
        age.map { $0 > limit || $0 < .seconds(-60) } ?? true
    }

    /// The number of entries in `state`.
    private func count(_ state: QueueEntry.State) -> Int {
        waiting.filter { $0.state == state }.map(\.count).reduce(0, +)
    }

    /// Whether the last sync of a resource failed, nothing in the queue goes on with it, and none is under way.
    var hasFailure: Bool { resources.contains { $0.failure?.isQueued == false && !$0.isRunning } }

    /// Whether entries are parked for a reason other than `held`.
    var hasParked: Bool { waiting.contains { $0.state == .parked && $0.reason != .held } }

    var object: JSONObject {
        var queue: JSONObject = [:]
        for state in QueueEntry.State.allCases where !state.isSettled { queue.add(state.rawValue, count(state)) }
        let connectivity: JSONObject = ["usable_route": hasRoute, "gates": gates.map { Self.object($0) }]
        let file: JSONObject = ["path": database.path, "bytes": database.bytes, "schema": database.schemaVersion]
        let run: any JSONMemberValue = if let lastRun { Shapes.run(lastRun) } else { JSONText.null }
        return [
            "resources": resources.map { Self.object($0) }, "queue": queue, "last_run": run,
            "connectivity": connectivity,
            "limits": limits.map { Self.object($0) }, "bytes_last_day": bytesLastDay, "database": file,
        ]
    }

    private static func object(_ line: ResourceLine) -> JSONObject {
        [
            "resource": line.name, "source": line.source, "records": line.records, "quarantined": line.quarantined,
            "missing": line.missing, "incomplete": line.incomplete, "completed_at": line.completedAt,
            "checkpoint_page": line.checkpointPage, "round_open": line.isPassOpen ? true : nil, "stale": line.isStale,
            "running": line.isRunning ? true : nil, "failing_since": line.failure?.since,
            "error": (line.failure?.error).map(Shapes.error), "fresh_until": line.reported.freshUntil,
            "not_before": line.reported.notBefore,
        ]
    }

    private static func object(_ gate: SourceGate) -> JSONObject {
        ["source": gate.source, "gate": gate.reason.rawValue, "until": gate.until, "note": gate.note]
    }

    func print(_ options: GlobalOptions) {
        let format = MessageFormat(now: now, isAbsolute: options.utc)
        var table = Table(["resource", ">records", ">quarantined", "complete", "state"])
        for line in resources {
            table.add([
                line.name, MessageFormat.grouped(line.records), String(line.quarantined),
                line.completedAt.map(format.time) ?? "never", Self.state(of: line, format),
            ])
        }
        table.print(options.terminal)
        let waiting = QueueEntry.State.allCases.filter { !$0.isSettled }.compactMap { state in
            let count = count(state)
            return count == 0 ? nil : "\(count) \(state.rawValue)"
        }
        Output.line("queue: \(waiting.isEmpty ? "empty" : waiting.joined(separator: ", "))")
        for gate in gates {
            let until =
                gate.until.map {
                    $0 > now ? ", for another \(MessageFormat.duration($0 - now))" : ", until the next try"
                } ?? ""
            Output.line("source \(gate.source): \(gate.reason.rawValue)\(until): \(PlainText.oneLine(gate.note))")
        }
        for limit in limits { Output.line(Self.line(limit, now: now)) }
        if let lastRun {
            Output.line(
                "last run: \(lastRun.id), \(lastRun.outcome?.rawValue ?? "running"), \(format.time(lastRun.startedAt))")
        }
        let carried = bytesLastDay == 0 ? "" : ", syncs carried \(MessageFormat.size(bytesLastDay)) in the last 24 h"
        Output.line("network: \(hasRoute ? "a route exists" : "no route exists")\(carried)")
        Output.line(
            "database: \(database.path), \(MessageFormat.size(database.bytes)), schema \(database.schemaVersion)")
    }

    private static func state(of line: ResourceLine, _ format: MessageFormat) -> String {
        if line.isRunning { return line.checkpointPage.map { "running, page \($0)" } ?? "running" }
        let state = summary(of: line, format.now)
        guard let failure = line.failure, line.incomplete == nil else { return state }
        let word = failure.isQueued ? "waiting" : "failing"
        return "\(word) since \(format.time(failure.since)): \(failure.error.message); \(state)"
    }

    private static func summary(of line: ResourceLine, _ now: Timestamp) -> String {
        if let page = line.checkpointPage { return page > 1 ? "stopped before page \(page)" : "started, no page yet" }
        if line.isPassOpen { return "stopped half-way" }
        if let why = line.incomplete { return "incomplete: \(PlainText.oneLine(why, limit: 200))" }
        if line.completedAt == nil { return "not synced" }
        var state = line.isStale ? "stale" : "fresh"
        if let until = line.reported.freshUntil {
            state += ", as the origin says for \(MessageFormat.duration(until - now))"
        }
        if let from = line.reported.notBefore { state += "; no request for \(MessageFormat.duration(from - now))" }
        if line.missing > 0 { state += "; \(line.missing) missing at the origin, not deleted yet" }
        return state
    }
}
