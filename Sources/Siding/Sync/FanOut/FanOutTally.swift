// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingJSON

/// Collects the results of the parents of one fan-out pass, and decides when the pass must stop.
///
/// A failure of one parent is reported, and the pass goes on. A failure of the source stops the pass, as the other parents
/// would fail too; and so do equal refusals in a row.
struct FanOutTally: Sendable {
    private let sync: ResourceSync
    private let isAdHoc: Bool
    private(set) var done = 0
    private var queued = 0
    /// The parents whose listing this sync left open: in a resumed pass their turn may come once more.
    private var left: Set<String> = []
    /// Whether a parent is queued since the connection failed. That alone does not make the parent count as failing.
    private var hasLostLine = false
    private var failed = Named()
    private var skipped = Named()
    private var warned = Named()
    private var held = 0
    private var incomplete = 0
    /// How many of the incomplete listings nobody asked to stop.
    private var partial = 0
    private var resumed = 0
    /// Whether no parent has the values that requests need, now and before.
    private var isUnbound = false
    /// Transient failures in a row; a success or another failure resets it.
    private var inARow = 0
    /// How the newest parents were refused, and how many of them in a row; nil after any other result.
    private var refused: (how: String, count: Int)?
    /// Whether so many were refused in the same way that the others are not asked.
    private(set) var isRefused = false
    /// Whether an earlier sync left the pass.
    private var isContinued = false
    /// When earlier ones had asked all its parents; nil if they have not.
    private var askedAt: Timestamp?
    /// Whether the origin has answered for a parent, even with a refusal of that parent.
    private var isAnswered = false
    /// How many parents are left for the next sync, if something stops this one.
    private var unasked = 0
    private var firstFailure: SyncReport?
    private var stopped: SyncReport?
    private var sum: SyncReport

    /// Counts all, keeps the texts of the first five.
    private struct Named: Sendable {
        static let most = 5
        var count = 0
        var messages: [String] = []

        mutating func add(_ text: String) {
            count += 1
            if messages.count < Self.most { messages.append(text) }
        }
    }

    init(_ sync: ResourceSync) {
        self.sync = sync
        isAdHoc = sync.options.isAdHoc
        sum = SyncReport(sync.resource.name)
    }

    var isCutShort: Bool {
        stopped != nil || (isRefused && unasked > 0) || (sync.options.failsFast && failed.count > 0)
    }

    /// Whether to start the next parent.
    var goesOn: Bool { !isCutShort && !isRefused && sync.options.limit.map { saved < $0 } ?? true }

    /// How many listings may be under way. Until a parent is answered those that failed in a row and those under way are together no
    /// more than end the pass, and a pass that an earlier sync has left begins with one.
    var room: Int {
        if isAnswered, inARow == 0 { return Int.max }
        return !isAnswered && isContinued ? 1 : max(1, RetryRules.failedParents - inARow)
    }

    /// The number of records read so far.
    var saved: Int { sum.result.counters.saved }

    /// The number of parents that were processed, with any result.
    var asked: Int { done + queued + held + failed.count + skipped.count }
    var isEmpty: Bool { asked == 0 }

    /// Whether no request could be made for any parent of the pass.
    var hasOnlySkipped: Bool { skipped.count > 0 && done + queued + held + failed.count == 0 }

    /// Marks the pass as one that could list nothing.
    mutating func refuseToComplete(_ message: String) {
        isUnbound = true
        sum.warn(message)
    }

    /// Whether every parent's listing is complete. Skipped parents have no listing, and do not count.
    var isComplete: Bool { failed.count + queued + held + incomplete == 0 && !isUnbound }

    // MARK: Adding results

    /// Adds notes about how the pass was opened.
    mutating func add(_ position: PassPosition) {
        if !position.changedAspects.isEmpty {
            sum.warn(
                "the definition changed (\(position.changedAspects.names)): every parent is listed "
                    + "again")
        }
        sum.add(opening: position.counters, in: sync.run)
        if let dropped = position.droppedPass { sum.warn("restarted: \(dropped)") }
        (isContinued, askedAt) = (position.isResumed, position.askedAt)
        if position.isResumed { add(note: "continues the interrupted pass") }
    }

    /// Adds the pass before, which was opened and ended.
    mutating func add(ended position: PassPosition, _ findings: PassFindings) {
        sum.add(opening: position.counters, in: sync.run)
        sum.result.counters += findings.counters
        sum.add(note: "the pass before ended without the parents that wait in the queue")
    }

    /// Adds a note that needs no action.
    mutating func add(note message: String) { sum.add(note: message) }

    /// Counts a parent for which no request can be made.
    mutating func skip(_ key: String, because reason: String) {
        skipped.add("skipped \(Self.shown(key)): \(reason)")
    }

    /// Whether this sync has asked the parent, and left its listing open.
    func hasLeft(_ key: String) -> Bool { left.contains(key) }

    /// Whether the pass ends with this sync. It stays open for parents in the queue: a service asks them in its own time, until the
    /// resource is due anew (``AnyResource/isDueAnew(since:at:)``). Any other sync that finds a pass of which all parents have been
    /// asked is the last one, unless some could not be asked, the line was lost, or some of them are answered: those that fail for good must
    /// not keep it from the others.
    var endsPass: Bool {
        guard !sync.engine.isOfService, let askedAt else { return !isCutShort && queued == 0 }
        guard unasked == 0, stopped?.failure?.reason != .cancelled else { return false }
        return queued == 0
            || !(hasLostLine || (done > 0 && !sync.resource.isDueAnew(since: askedAt, at: sync.engine.now)))
    }

    /// Whether parents that failed in a row stop the pass, and not their source.
    private var isStoppedInARow: Bool { stopped?.failure.map { !sync.concernsSource($0) } ?? false }

    /// Whether it matters how many parents are left: some wait in the queue, or something stops the pass.
    var mayLeaveSome: Bool { queued > 0 || isRefused || isCutShort }

    /// Adds parents whose turn does not come in this sync.
    mutating func leave(_ count: Int) { unasked += count }

    /// Whether all parents have been asked for the first time, and some of them keep the pass open. Where the source failed behind
    /// others that were answered, it may be that it limits requests: the next sync goes on with the rest.
    var hasJustAskedAll: Bool {
        askedAt == nil && mayLeaveSome && unasked == 0 && (stopped == nil || isStoppedInARow || done == 0)
    }

    /// Why the pass stays open; nil for another reason than parents in the queue.
    var openPass: SyncReport.OpenPass? {
        isStoppedInARow ? .stopped(leavesSome: unasked > 0) : queued > 0 ? .waiting : nil
    }

    /// Records our own cancellation.
    mutating func stop() {
        stopped = stopped ?? SyncReport(sync.resource.name).failed(Failure(.cancelled, phase: .notSent))
    }

    /// Adds the report of one parent's sync.
    mutating func add(_ one: SyncReport, of key: String) {
        sum.result.counters += one.result.counters
        sum.waited += one.waited
        sum.unreadableLimits.formUnion(one.unreadableLimits)
        if one.isResumed { resumed += 1 }
        for warning in one.warnings { warned.add("\(Self.shown(key)): \(warning)") }
        if let paging = one.paging { sum.paging = paging }
        sum.result.entry = sum.result.entry ?? one.result.entry
        switch one.result.outcome {
        case .saved, .notModified, .partial, .skipped:
            done += 1
            (inARow, refused, isAnswered) = (0, nil, true)
            if one.isIncomplete { incomplete += 1 }
            if one.result.outcome == .partial { partial += 1 }
        case .queued where one.failure == nil:
            held += 1
            left.insert(key)
        case .queued, .failed, .interrupted, nil:
            addFailure(one, of: key)
            left.insert(key)
        }
    }

    private mutating func addFailure(_ one: SyncReport, of key: String) {
        if let failure = one.failure, failure.reason == .invalidRequest {
            skip(key, because: failure.detail ?? failure.description)
            return
        }
        if one.result.outcome == .queued {
            queued += 1
            let isLost = one.failure.map { $0.isConnectionFailure || $0.isLostAnswer } ?? false
            hasLostLine = hasLostLine || (isLost && one.tries < RetryRules.lostLineAttempts)
        } else if one.failure?.reason != .cancelled {
            failed.add("\(Self.shown(key)) failed: \(one.result.error?.message ?? "")")
            firstFailure = firstFailure ?? one
        }
        guard let failure = one.failure else { return }
        if failure.isUnasked { leave(1) }
        countRefusal(failure, of: one)
        inARow = sync.isTransient(failure) ? inARow + 1 : 0
        let (isEnough, isOfSource) = (inARow >= RetryRules.failedParents, sync.concernsSource(failure))
        if inARow == 0, !isOfSource { isAnswered = true }
        guard isOfSource || isEnough else { return }
        // Prefer the origin's own failure over the gate that it closed.
        let said = stopped?.failure?.reason
        if said == nil || said == .cancelled || (said == .waitingForOrigin && failure.reason != .cancelled) {
            stopped = one
        }
    }

    /// What a rule decides concerns the parent alone, and so does the refusal of a later page: the first one was answered.
    private mutating func countRefusal(_ failure: Failure, of one: SyncReport) {
        guard case .http(let answer) = failure.reason,
            let how = answer.refusal(isOfWrite: false).map(RefusalWords.withoutIDs),
            sync.resource.source.rule(for: failure, of: .fetch) == nil,
            !one.isResumed, one.result.counters.pages == 0
        else {
            refused = nil
            return
        }
        let count = refused?.how == how ? (refused?.count ?? 0) + 1 : 1
        refused = (how, count)
        isRefused = isRefused || count >= RetryRules.failedParents
    }

    private static func shown(_ key: String) -> String { "'\(PlainText.oneLine(key, limit: 60))'" }
}

// MARK: Kinds of failures

extension ResourceSync {
    /// Whether other requests to the source would fail in the same way.
    func concernsSource(_ failure: Failure) -> Bool {
        switch resource.source.outcome(of: failure, .fetch, now: engine.now) {
        case .offline, .portal, .retryAfter, .signIn: return true
        case .answers, .accepted, .refused, .failed, .nothing: break
        }
        switch failure.reason {
        case .waitingForOrigin, .credentialUnavailable, .cancelled, .localResource, .storage, .userCode: return true
        default: return failure.phase == .notSent
        }
    }

    /// Whether the same request may succeed later.
    func isTransient(_ failure: Failure) -> Bool {
        if case .keep = resource.source.retention(of: failure, .fetch, now: engine.now) { true } else { false }
    }
}

// MARK: The report

extension FanOutTally {
    /// The combined report, for the one line of the run.
    func report() -> SyncReport {
        var report = sum
        report.result.notes.insert(summary, at: 0)
        if resumed > 0 { report.add(note: "\(resumed) of the listings were resumed") }
        for named in [failed, skipped, warned] {
            named.messages.forEach { report.warn($0) }
            if named.count > named.messages.count {
                report.warn("and \(named.count - named.messages.count) more like these")
            }
        }
        if isRefused, unasked > 0 {
            report.warn(
                "\(MessageFormat.count(unasked, "parent was", plural: "parents were")) not asked, as "
                    + "\(RetryRules.failedParents) in a row were refused in the same way")
        }
        conclude(&report)
        return report
    }

    /// "1,000 parents: 996 done, 3 failed, 1 queued"
    private var summary: String {
        let counts = [
            (done, "done"), (failed.count, "failed"), (queued, "queued"), (held, "held"), (skipped.count, "skipped"),
        ]
        let all = counts.map(\.0).reduce(0, +)
        let words = counts.filter { $0.0 > 0 }.map { "\(MessageFormat.grouped($0.0)) \($0.1)" }
            .joined(separator: ", ")
        guard all > 0 else { return isCutShort ? "no parent was listed" : "no parent is due" }
        let rest = isCutShort && !endsPass && !isAdHoc ? "; the next sync continues there" : ""
        return "\(MessageFormat.count(all, "parent")): \(words)\(rest)"
    }

    private func conclude(_ report: inout SyncReport) {
        if let stopped {
            (report.result.outcome, report.result.error) = (stopped.result.outcome, stopped.result.error)
            (report.failure, report.isFailedByRule) = (stopped.failure, stopped.isFailedByRule)
        } else if let firstFailure {
            let isAll = done + queued + held == 0
            report.result.outcome = isAll ? .failed : .partial
            report.result.error = firstFailure.result.error
            if isAll {
                (report.failure, report.isFailedByRule) = (firstFailure.failure, firstFailure.isFailedByRule)
            }
        } else if queued + held > 0 {
            report.result.outcome = .queued
            report.result.error = RecordedError(
                name: queued > 0 ? "queued" : "parked",
                message: queued > 0
                    ? "\(queued) of the parents wait in the queue" : "\(held) of the parents wait for an operator",
                hint: "'siding queue list --resource \(sync.resource.name)' shows them")
        } else {
            let counters = report.result.counters
            report.result.outcome =
                partial > 0 || isUnbound ? .partial : counters.pages == counters.notModified ? .notModified : .saved
        }
    }
}
