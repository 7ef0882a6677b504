// SPDX-License-Identifier: Apache-2.0
package import Siding
package import SidingChain
internal import SidingJSON
internal import SidingNetwork

/// The data of `siding status`: resources, queue, gates, rate limits, targets, last run and database.
package struct Overview {
    package struct ResourceLine {
        package var name: String
        package var source: String
        /// Nil before its first sync.
        package var state: ResourceState?
        package var isStale: Bool
        /// Whether a process syncs it now.
        package var isRunning: Bool
        /// Its failed syncs since the last success; nil if there are none.
        package var failure: FailureStreak?
        /// Whether its newest sync kept missing records because of `deletes.max`.
        package var hasBlockedDeletions = false
        /// Until when the origin declares the stored data fresh, and the time before which it asks not to be requested.
        package var reported: ListingFreshness
        /// When `siding serve` syncs it next by its schedule; nil if it has none, or if a retained page comes first.
        package var nextDueAt: Timestamp?
    }

    package var resources: [ResourceLine]
    package var queue: [QueueShare]
    /// How many entries are being sent by a process that died: the next run takes them up.
    package var left: Int
    package var gates: [SourceGate]
    package var limits: [RateLimitReport]
    /// The targets of the config.
    package var targets: [PublicationState]
    /// What the network carried for the syncs of the last 24 hours.
    package var bytesLastDay: Int
    /// The newest run, which may still go on.
    package var lastRun: Run?
    package var database: DatabaseDescription
    /// What fills the file; nil for a file that is too large for that, and where SQLite cannot tell.
    package var sizes: StoreSizes?
    package var hasRoute: Bool
    package var now: Timestamp

    package static func gather(
        _ resources: [AnyResource], targets: [PublishedTarget] = [], _ store: Store, maxAge: Duration?, now: Timestamp
    ) async throws -> Overview {
        let states = try await store.resourceStates()
        let failures = try await store.failures(of: resources.map(\.name))
        let newest = try await store.newestResults(of: resources.map(\.name))
        let held = Set(try await store.leases().filter(\.isAlive).map(\.name))
        let hasSchedules = resources.contains { $0.schedule != nil }
        let retained = hasSchedules ? try await store.entries(QueueSelection(kinds: [.fetch])) : []
        let lines = resources.map { resource in
            let state = states.first { $0.resource == resource.name }
            let limit = maxAge ?? resource.maxAge
            let failure = failures[resource.name]
            let reported = ListingFreshness(
                freshUntil: state?.resourceFreshness.freshUntil(at: now),
                notBefore: state?.resourceFreshness.notBefore(at: now))
            return ResourceLine(
                name: resource.name, source: resource.source.name, state: state,
                isStale: ResourceState.isStale(state, after: limit, at: now),
                isRunning: held.contains(Lease.name(ofResource: resource.name)),
                failure: failure,
                hasBlockedDeletions: newest[resource.name]?.counters.deletionsBlocked ?? 0 > 0, reported: reported,
                nextDueAt: resource.schedule.flatMap { schedule in
                    let pages = retained.filter { $0.resource == resource.name }
                    let next = NextSync(of: resource, state, retained: pages, now: now).moment(at: now)
                    // After a failure the service waits for the next moment.
                    let again = failure.flatMap { $0.isQueued ? nil : schedule.next(after: $0.endedAt) }
                    return next.map { max($0, again ?? $0) }
                })
        }
        let database = try await store.description()
        return Overview(
            resources: lines, queue: try await store.queueShares(),
            left: try await store.entries(QueueSelection(states: [.sending])).count { $0.hasDeadSender },
            gates: try await store.gates().filter { $0.isBelieved(at: now) },
            limits: try await store.rateLimits(),
            targets: try await PublicationState.gather(targets, store),
            bytesLastDay: try await store.bytes(since: now + .seconds(-86_400)),
            lastRun: try await store.runs(limit: 1).first,
            database: database, sizes: try await store.sizesIfSmall(database),
            hasRoute: LinuxConnectivity().hasUsableRoute(), now: now)
    }

    /// The number of entries in `state`.
    package func count(_ state: QueueEntry.State) -> Int {
        queue.filter { $0.state == state }.map(\.count).reduce(0, +)
    }

    /// Whether the last sync of a resource failed, nothing in the queue goes on with it, and none is under way.
    package var hasFailure: Bool { resources.contains { $0.failure?.isQueued == false && !$0.isRunning } }

    /// Whether an entry has been queued for too long, as when the line has been down.
    package var isQueuedTooLong: Bool { queue.contains { $0.isQueuedTooLong(at: now) } }

    /// Whether a target refuses what is published, or has lacked changes for too long.
    package var hasTargetInNeed: Bool { targets.contains { $0.refusal != nil || $0.waitsTooLong(at: now) } }

    /// The number of entries that are parked for a reason other than `held`.
    package var parked: Int {
        queue.filter(\.needsDecision).map(\.count).reduce(0, +)
    }

    package var object: JSONObject {
        var queue: JSONObject = [:]
        for state in QueueEntry.State.allCases where !state.isCompleted { queue.add(state.rawValue, count(state)) }
        let connectivity: JSONObject = ["usable_route": hasRoute, "gates": gates.map { Self.object($0) }]
        let file: JSONObject = [
            "path": database.path, "bytes": database.bytes, "schema": database.schemaVersion,
            "free_bytes": database.freeBytes, "parts": sizes?.objects,
        ]
        let run: any JSONMemberValue = if let lastRun { Shapes.run(lastRun) } else { JSONText.null }
        return [
            "resources": resources.map { Self.object($0) }, "queue": queue, "last_run": run,
            "connectivity": connectivity,
            "limits": limits.map { Self.object($0) }, "targets": targets.map(\.object),
            "bytes_last_day": bytesLastDay, "database": file,
        ]
    }

    private static func object(_ line: ResourceLine) -> JSONObject {
        [
            "resource": line.name, "source": line.source, "records": line.state?.records ?? 0,
            "quarantined": line.state?.quarantined ?? 0, "missing": line.state?.missing ?? 0,
            "deletions_blocked": line.hasBlockedDeletions ? true : nil,
            "unlisted": line.state.flatMap { $0.unlisted > 0 ? $0.unlisted : nil },
            "incomplete": line.state?.incomplete, "completed_at": line.state?.completedAt,
            "checkpoint_page": line.state?.checkpoint?.number,
            "pass_open": line.state?.pass?.isOpen == true ? true : nil, "stale": line.isStale,
            "running": line.isRunning ? true : nil, "failing_since": line.failure?.since,
            "error": (line.failure?.error).map(Shapes.error), "fresh_until": line.reported.freshUntil,
            "not_before": line.reported.notBefore, "next_due_at": line.nextDueAt,
        ]
    }

    private static func object(_ gate: SourceGate) -> JSONObject {
        ["source": gate.source, "gate": gate.reason.rawValue, "until": gate.until, "note": gate.note]
    }

    /// How a resource is: in a word, why, and what else there is to say.
    package struct StateText {
        package var word: String
        /// The sentence of an error, which may be long.
        package var reason: String?
        package var rest = ""

        package var withoutReason: String { [word, rest].filter { !$0.isEmpty }.joined(separator: "; ") }
    }

    package static func state(of line: ResourceLine, _ format: MessageFormat) -> String {
        let text = text(of: line, format)
        let word = [text.word, text.reason].compactMap(\.self).joined(separator: ": ")
        return [word, text.rest].filter { !$0.isEmpty }.joined(separator: "; ")
    }

    package static func text(of line: ResourceLine, _ format: MessageFormat) -> StateText {
        if line.isRunning {
            return StateText(word: line.state?.checkpoint.map { "running, page \($0.number)" } ?? "running")
        }
        var text = summary(of: line, format.now)
        if let next = line.nextDueAt {
            text.rest = next > format.now ? "next sync \(format.next(next))" : "a sync is due"
        }
        guard let failure = line.failure, line.state?.incomplete == nil else { return text }
        return StateText(
            word: "\(failure.isQueued ? "waiting" : "failing") \(format.span(since: failure.since))",
            reason: failure.error.message, rest: text.withoutReason)
    }

    private static func summary(of line: ResourceLine, _ now: Timestamp) -> StateText {
        if let page = line.state?.checkpoint?.number {
            return StateText(word: page > 1 ? "stopped before page \(page)" : "started, no page yet")
        }
        if line.state?.pass?.isOpen == true { return StateText(word: "stopped half-way") }
        if let why = line.state?.incomplete {
            return StateText(word: "incomplete", reason: PlainText.oneLine(why, limit: 200))
        }
        if line.state?.completedAt == nil { return StateText(word: "not synced") }
        return StateText(word: completed(line, now))
    }

    private static func completed(_ line: ResourceLine, _ now: Timestamp) -> String {
        var state = line.isStale ? "stale" : line.hasBlockedDeletions ? "blocked" : "fresh"
        if let completedAt = line.state?.completedAt, completedAt > now + MessageFormat.clockTolerance {
            state += ", but completed in the future: the clock was ahead then, or is behind now"
        }
        if let until = line.reported.freshUntil {
            state += ", as the origin says for \(MessageFormat.duration(until - now))"
        }
        if let from = line.reported.notBefore { state += "; no request for \(MessageFormat.duration(from - now))" }
        let missing = line.state?.missing ?? 0
        if missing > 0 {
            state +=
                "; \(missing) missing at the origin, "
                + (line.hasBlockedDeletions ? "deletion blocked (deletes.max)" : "not deleted yet")
        }
        let unlisted = line.state?.unlisted ?? 0
        if unlisted > 0 { state += "; keeps \(unlisted) that the origin no longer lists" }
        return state
    }
}
