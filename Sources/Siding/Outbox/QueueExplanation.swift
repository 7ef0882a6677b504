// SPDX-License-Identifier: Apache-2.0
package import SidingChain

/// Explains an entry in plain words: why it waits, what happens next and when.
package struct QueueExplanation: Sendable, Hashable {
    package var why: String
    package var next: String

    /// - Parameter gate: the closed gate of the entry's source, if there is one.
    /// - Parameter keep: the rules of its store.
    /// - Parameter stored: when the record was stored that stands for the origin's in a conflict, if it was not shown since then.
    package init(
        _ entry: QueueEntry, gate: SourceGate?, keep: KeepRules, theirsStoredAt stored: Timestamp? = nil, now: Timestamp
    ) {
        why = Self.why(entry)
        next =
            if let stored, entry.state == .parked {
                Self.decision(on: entry, from: stored, now)
            } else if entry.kind == .write {
                Self.nextOfWrite(entry, gate, keep, now)
            } else {
                Self.next(entry, gate, keep, now)
            }
    }

    private static func why(_ entry: QueueEntry) -> String {
        let what =
            entry.kind == .fetch
            ? "page \(entry.pageNumber ?? 1) of '\(entry.resource ?? "")' could not be fetched"
            : "the write was not delivered"
        let tries =
            entry.attempts == 0
            ? "It does not count as a failed try"
            : "\(MessageFormat.count(entry.attempts, "failed try", plural: "failed tries")) so far"
        let error = entry.lastError.map { ": \($0.message)" } ?? ""
        switch entry.state {
        case .queued where entry.unknownSince != nil: return "it may have reached the origin\(error)."
        case .queued where entry.kind == .write && entry.lastError == nil:
            return entry.isHead && entry.waitsOn == 0 ? "it has not been tried yet." : waiting(entry)
        case .sending where entry.kind == .write:
            let now = entry.hasDeadSender ? "its sender died" : "it is being sent, and its answer is not known yet"
            let before = entry.lastError.map { " The error before: \($0.message). \(tries)." } ?? ""
            return "\(now)\(entry.mayHaveArrived ? ": it may have reached the origin." : ".")\(before)"
        case .queued, .sending: return "\(what)\(error). \(tries)."
        case .parked where entry.kind == .write:
            // For `uncertain` the reason says so already.
            let warning = entry.mayHaveArrived && entry.reason != .uncertain ? " It may have reached the origin." : ""
            return "\(parked(entry))\(warning)\(entry.lastError.map { " The error: \($0.message)." } ?? "")"
        case .parked: return "\(parked(entry)) Before that \(what)\(error)."
        case .done: return "it is done: the origin answered, or a new listing replaced it."
        case .dropped: return "it was dropped; its history says by whom."
        }
    }

    private static func parked(_ entry: QueueEntry) -> String {
        switch entry.reason {
        case .held: "an operator put it on hold."
        case .poison: "three senders died while they sent it, so it is not tried again by itself."
        case .rejected where entry.lastError?.status == nil: "it failed, and the same request would fail again."
        case .rejected: "the origin refused it, and would refuse the same request again."
        case .uncertain where entry.isDoubtOfAnswer:
            "the origin answered, but may not have acted on all of it, and sending it twice could do harm."
        case .uncertain: "it may have reached the origin, and sending it twice could do harm."
        case .signIn: "the origin requires a sign-in."
        case .expired: "it waited longer than its expiry allows."
        case .keyExpired: "its idempotency key is older than the time for which the origin keeps keys."
        case .conflict where entry.lastError?.status == 428:
            "the origin requires the record's ETag (If-Match), and none was known."
        case .conflict where entry.lastError?.status != nil:
            "the origin refused it because of the record's present state there."
        case .conflict: "the record changed at the origin while this write waited."
        case .invalid: "the request is invalid, so it cannot be sent."
        case .dependency:
            if let name = temporaryID(entry) {
                "it names \(name), which has no real id: the entry that creates it was dropped, or its answer did not say the id; "
                    + "the history says which."
            } else {
                "an entry that it depends on was dropped."
            }
        case nil: "it is parked."
        }
    }

    private static func next(_ entry: QueueEntry, _ gate: SourceGate?, _ keep: KeepRules, _ now: Timestamp) -> String {
        let sync = entry.resource.map { "'siding sync \($0)'" } ?? "'siding queue run'"
        switch entry.state {
        case .sending where entry.hasDeadSender: return "the process that fetched it died; \(sync) tries it again."
        case .sending: return "a process is fetching it now; if that process died, the next sync reclaims the entry."
        case .done, .dropped: return "nothing; it is kept for \(DurationText.text(keep.done))."
        case .parked where entry.reason == .held || entry.reason == .poison:
            return "nothing, until 'siding queue release \(entry.shortID)' or 'siding queue drop \(entry.shortID)'."
        case .parked:
            return
                "\(sync) tries it again; 'siding queue drop \(entry.shortID)' drops it, and the next sync starts a new listing."
        case .queued:
            let kept =
                entry.pageNumber.map { page in
                    page > 1
                        ? "The listing continues at page \(page); the pages before it are saved."
                        : "No page was fetched yet."
                } ?? ""
            guard waitsForOrigin(entry, gate), dueAt(entry, gate, now) > now else {
                return "\(sync) tries it at once; 'siding queue run' \(whenDue(entry, gate, now)). \(kept)"
            }
            return "\(sync) and 'siding queue run' try it \(from(dueAt(entry, gate, now), now)); "
                + "'siding queue retry \(entry.shortID)' tries it \(retry(entry, gate)). \(kept)"
        }
    }

    /// Whether the entry waits for a `Retry-After` of its origin or for a rate limit of its source.
    private static func waitsForOrigin(_ entry: QueueEntry, _ gate: SourceGate?) -> Bool {
        entry.lastError?.name == Failure.Reason.waitingForOrigin.name || gate?.reason == .retryAfter
    }

    /// When 'siding queue retry' tries it: an operator action passes the gate of a source, but not its rate limits.
    static func retry(_ entry: QueueEntry, _ gate: SourceGate?) -> String {
        waitsForOrigin(entry, gate) ? "earlier if the source's rate limits allow it" : "at once"
    }

    private static func dueAt(_ entry: QueueEntry, _ gate: SourceGate?, _ now: Timestamp) -> Timestamp {
        let own = entry.isDue(at: now) ? min(entry.nextAttemptAt, now) : entry.nextAttemptAt
        return max(own, gate?.reason == .retryAfter ? gate?.until ?? own : own)
    }

    private static func whenDue(_ entry: QueueEntry, _ gate: SourceGate?, _ now: Timestamp) -> String {
        let at = dueAt(entry, gate, now)
        return at > now ? "tries it \(from(at, now))" : "does so too, as it is due"
    }

    /// `from 2024-05-01T12:00:00.000Z on (in 30 s)`
    private static func from(_ time: Timestamp, _ now: Timestamp) -> String {
        "from \(time.rfc3339) on (in \(MessageFormat.duration(time - now)))"
    }
}

/// Explains writes in plain words: what they wait for, and how to resolve each reason.
extension QueueExplanation {
    /// Describes what blocks a write that has not been tried yet.
    static func waiting(_ entry: QueueEntry) -> String {
        if entry.waitsOn > 0 {
            let others = "\(MessageFormat.grouped(entry.waitsOn)) other entries"
            return "it depends on \(entry.waitsOn == 1 ? "another entry" : others)."
        }
        return "another entry is before it in the lane '\(entry.lane)'."
    }

    static func nextOfWrite(_ entry: QueueEntry, _ gate: SourceGate?, _ keep: KeepRules, _ now: Timestamp) -> String {
        if let until = entry.keyKeptUntil {
            return
                "nothing; only its idempotency key is kept, until \(until.rfc3339), so that it is not used for another write."
        }
        switch entry.state {
        case .sending where entry.hasDeadSender:
            return
                "its sender died; the next 'siding queue run' or 'siding sync' decides whether it is sent again, asked for, "
                + "or parked."
        case .sending where entry.unknownSince != nil:
            return "a process is asking the origin now whether the write arrived."
        case .sending:
            return "a process is sending it now; if that process died, the next 'siding queue run' reclaims it."
        case .done: return "nothing; it was delivered, and is kept for \(DurationText.text(keep.done))."
        case .dropped: return "nothing; it is kept for \(DurationText.text(keep.done))."
        case .queued where entry.waitsOn > 0 || !entry.isHead:
            return "it is sent once the entries that it waits for are completed."
        case .queued: return queued(entry, gate, now)
        case .parked: return wayOut(entry)
        }
    }

    private static func queued(_ entry: QueueEntry, _ gate: SourceGate?, _ now: Timestamp) -> String {
        let run = "'siding queue run' and the next 'siding sync'"
        if entry.unknownSince != nil { return asked(entry, gate, now, run) }
        switch gate?.reason {
        case .signIn:
            return "its source needs a sign-in: correct its `auth:`, then 'siding queue run' tries it again."
        case .offline:
            return "this machine has no network; \(run) try it again."
        case .portal:
            return "a web page answers in place of the origin: sign in to this network; \(run) try it again."
        case .breaker, .retryAfter:
            let until = gate?.until.map { $0 > now ? " until \($0.rfc3339)" : "" } ?? ""
            return "no request goes to its source\(until), because \(gate?.note ?? ""); then it is sent."
        case nil:
            guard !entry.isDue(at: now) else { return "it is due: \(run) send it." }
            return "\(run) send it \(from(entry.nextAttemptAt, now)); "
                + "'siding queue retry \(entry.shortID)' sends it \(retry(entry, gate))."
        }
    }

    /// Describes a write in doubt: a delivery probe asks the origin first, and it is sent only if the origin does not have it.
    private static func asked(_ entry: QueueEntry, _ gate: SourceGate?, _ now: Timestamp, _ run: String) -> String {
        let id = entry.shortID
        let own = entry.isDue(at: now) ? now : entry.nextAttemptAt
        let at = max(own, gate?.until ?? own)
        let wait = at > now ? " \(from(at, now))" : ", which is due"
        return "\(run) ask the origin whether the write arrived\(wait): if so, it is done; if not, it is sent again. "
            + "'siding queue retry \(id)' asks \(retry(entry, gate))."
    }

    /// The id in its URL that is to be replaced by the one that the origin gives; nil if there is none.
    private static func temporaryID(_ entry: QueueEntry) -> String? {
        entry.kind == .write ? TemporaryID.found(in: Array(entry.url.utf8)).first : nil
    }

    /// Describes how to complete a write that the origin has. Only the origin knows the id of a record that it created.
    static func arrival(of entry: QueueEntry) -> String {
        let resolve = "siding queue resolve \(entry.shortID) --arrived"
        let isCreate = entry.recordKey.map { !TemporaryID.found(in: Array($0.utf8)).isEmpty } ?? false
        return isCreate
            ? "'\(resolve) --real-id ID' completes it, with the id that the record has there"
            : "'\(resolve)' completes it"
    }

    /// Describes how an operator can resolve a conflict whose other side may be older than the refusal.
    private static func decision(on entry: QueueEntry, from stored: Timestamp, _ now: Timestamp) -> String {
        let (id, age) = (entry.shortID, MessageFormat.duration(max(now - stored, .zero)))
        let sync = entry.resource.map { ": 'siding sync \($0)' asks for it" } ?? ""
        return "the record is the copy that was stored \(age) ago, and may be another one at the origin by now\(sync). "
            + "'siding queue resolve \(id) --mine' sends the write over whatever is there, '--theirs' keeps that copy, and "
            + "'--merge FILE' queues your merge."
    }

    /// Describes how an operator can resolve a parked write.
    private static func wayOut(_ entry: QueueEntry) -> String {
        let id = entry.shortID
        let drop = "'siding queue drop \(id)' drops it"
        let lane = entry.isHead ? " Its lane waits until then." : ""
        switch entry.reason {
        case .uncertain where entry.isDoubtOfAnswer:
            return
                "check what the origin did: send what is missing by a write of its own, then \(arrival(of: entry)); "
                + "'siding queue retry \(id)' sends all of it again.\(lane)"
        case .uncertain:
            return
                "check whether the origin has it: if so, \(arrival(of: entry)); if not, 'siding queue retry \(id)' sends it "
                + "again.\(lane)"
        case .conflict where entry.lastError?.status == 428:
            return
                "if the write has `if_match` and the origin shows an ETag, 'siding queue retry \(id)' sends it with the one that "
                + "was fetched after the refusal; else 'siding queue edit \(id) -H \"If-Match: …\"' adds it; \(drop).\(lane)"
        case .conflict where entry.recordKey != nil:
            return
                "'siding queue resolve \(id) --mine' queues it again, '--theirs' keeps the origin's record, and '--merge FILE' "
                + "queues your merge of both; the next 'siding queue run' sends what is queued.\(lane)"
        case .rejected, .conflict, .invalid:
            return
                "'siding queue edit \(id)' queues a corrected one in its place, which the next 'siding queue run' sends; "
                + "'siding queue retry \(id)' sends it unchanged, \(drop).\(lane)"
        case .signIn:
            return
                "correct its source's `auth:`, then 'siding queue run' or 'siding queue retry \(id)' tries it again; \(drop).\(lane)"
        case .keyExpired:
            return
                "check whether the origin has it: if so, \(arrival(of: entry)); if not, 'siding queue edit \(id)' "
                + "queues it under a new key.\(lane)"
        case .dependency where temporaryID(entry) != nil:
            return
                "'siding queue edit \(id) --url URL', with the record's real id in the URL, queues it again; \(drop).\(lane)"
        case .held, .poison, .expired, .dependency, nil:
            return "'siding queue release \(id)' returns it to the queue, \(drop).\(lane)"
        }
    }
}
