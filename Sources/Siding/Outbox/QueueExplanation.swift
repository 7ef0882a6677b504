package import SidingChain

/// Explains an entry in plain words: why it waits, what happens next and when.
package struct QueueExplanation: Sendable, Hashable {
    package var why: String
    package var next: String

    /// - Parameter gate: the closed gate of the entry's source, if there is one.
    package init(_ entry: QueueEntry, gate: SourceGate?, now: Timestamp) {
        why = Self.why(entry)
        next = entry.kind == .write ? Self.nextOfWrite(entry, gate, now) : Self.next(entry, gate, now)
    }

    private static func why(_ entry: QueueEntry) -> String {
        let what =
            entry.kind == .fetch
            ? "page \(entry.pageNumber ?? 1) of '\(entry.resource ?? "")' could not be fetched"
            : "the write was not delivered"
        let tries =
            entry.attempts == 1
            ? "1 failed try so far"
            : entry.attempts == 0 ? "It does not count as a failed try" : "\(entry.attempts) failed tries so far"
        let error = entry.lastError.map { ": \($0.message)" } ?? ""
        switch entry.state {
        case .queued where entry.unknownSince != nil: return "it may have reached the origin\(error)."
        case .queued where entry.kind == .write && entry.lastError == nil:
            return entry.isHead && entry.waitsOn == 0 ? "it has not been tried yet." : waiting(entry)
        case .queued, .sending: return "\(what)\(error). \(tries)."
        case .parked where entry.kind == .write:
            // For `uncertain` the reason says so already.
            let doubt = entry.mayHaveArrived && entry.reason != .uncertain ? " It may have reached the origin." : ""
            return "\(parked(entry))\(doubt)\(entry.lastError.map { " What was said: \($0.message)." } ?? "")"
        case .parked: return "\(parked(entry)) Before that \(what)\(error)."
        case .done: return "it is settled: it was answered, or a new listing took its place."
        case .dropped: return "it was given up; its history says by whom."
        }
    }

    private static func parked(_ entry: QueueEntry) -> String {
        switch entry.reason {
        case .held: "a person put it on hold."
        case .poison: "three senders died with it in hand, so it is not tried on its own any more."
        case .rejected: "the origin refused it, and asking the same again would not help."
        case .uncertain: "it may have reached the origin, and sending it twice could do harm."
        case .signIn: "the origin wants a sign-in."
        case .expired: "it waited longer than it was worth."
        case .keyExpired: "its idempotency key is older than the origin remembers."
        case .conflict where entry.lastError?.status == 428:
            "the origin wants the ETag of the record with it (If-Match), and none was known."
        case .conflict where entry.lastError?.status != nil:
            "the origin refused it, as the record is in another state there."
        case .conflict: "the record changed at the origin while this waited."
        case .invalid: "it cannot be sent as it stands."
        case .dependency: "what it depends on was dropped."
        case nil: "it is parked."
        }
    }

    private static func next(_ entry: QueueEntry, _ gate: SourceGate?, _ now: Timestamp) -> String {
        let sync = entry.resource.map { "'siding sync \($0)'" } ?? "'siding queue run'"
        switch entry.state {
        case .sending: return "a process is asking for it right now; if that process died, the next sync takes it up."
        case .done, .dropped: return "nothing; it stays to be looked at for 30 days."
        case .parked where entry.reason == .held || entry.reason == .poison:
            return "nothing, until 'siding queue release \(entry.shortID)' or 'siding queue drop \(entry.shortID)'."
        case .parked:
            return
                "\(sync) tries it again; 'siding queue drop \(entry.shortID)' gives it up, and the next sync starts anew."
        case .queued:
            let kept =
                entry.pageNumber.map { page in
                    page > 1
                        ? "The listing goes on at page \(page); the pages before it are saved."
                        : "Nothing was fetched yet."
                } ?? ""
            guard waitsForOrigin(entry, gate), dueAt(entry, gate) > now else {
                return "\(sync) tries it at once; 'siding queue run' \(due(entry, gate, now)). \(kept)"
            }
            return "\(sync) and 'siding queue run' try it \(due(entry, gate, now)); "
                + "'siding queue retry \(entry.shortID)' \(retry(entry, gate)). \(kept)"
        }
    }

    /// Whether the entry waits for a `Retry-After` of its origin or for a rate limit of its source.
    private static func waitsForOrigin(_ entry: QueueEntry, _ gate: SourceGate?) -> Bool {
        entry.lastError?.name == Failure.Reason.waitingForOrigin.name || gate?.reason == .retryAfter
    }

    /// When 'siding queue retry' tries it: an operator action passes the gate of a source, but not its rate limits.
    static func retry(_ entry: QueueEntry, _ gate: SourceGate?) -> String {
        waitsForOrigin(entry, gate) ? "before that, if the source's limits have room by then" : "at once"
    }

    private static func dueAt(_ entry: QueueEntry, _ gate: SourceGate?) -> Timestamp {
        max(entry.nextAttemptAt, gate?.reason == .retryAfter ? gate?.until ?? entry.nextAttemptAt : entry.nextAttemptAt)
    }

    static func due(_ entry: QueueEntry, _ gate: SourceGate?, _ now: Timestamp) -> String {
        let at = dueAt(entry, gate)
        guard at > now else { return "does so too: it is due" }
        return "from \(at.rfc3339) on (in \((at - now).components.seconds + 1) s)"
    }
}

/// Explains writes in plain words: what they wait for, and how to resolve each reason.
extension QueueExplanation {
    /// Describes what blocks a write that has not been tried yet.
    static func waiting(_ entry: QueueEntry) -> String {
        if entry.waitsOn > 0 {
            return "it was told to wait for \(entry.waitsOn == 1 ? "another entry" : "\(entry.waitsOn) other entries")."
        }
        return "it waits for its turn in the lane '\(entry.lane)': another entry stands before it."
    }

    static func nextOfWrite(_ entry: QueueEntry, _ gate: SourceGate?, _ now: Timestamp) -> String {
        if let until = entry.keyKeptUntil {
            return "nothing: it is forgotten but for its key, which is not used again before \(until.rfc3339)."
        }
        switch entry.state {
        case .sending where entry.unknownSince != nil:
            return "a process is asking the origin right now whether it has it."
        case .sending:
            return "a process is sending it right now; if that process died, the next 'siding queue run' takes it up."
        case .done: return "nothing; it is delivered, and stays to be looked at for 30 days."
        case .dropped: return "nothing; it stays to be looked at for 30 days."
        case .queued where entry.waitsOn > 0 || !entry.isHead:
            return "it is sent once what stands before it is settled."
        case .queued: return queued(entry, gate, now)
        case .parked: return wayOut(entry)
        }
    }

    private static func queued(_ entry: QueueEntry, _ gate: SourceGate?, _ now: Timestamp) -> String {
        let run = "'siding queue run' and the next 'siding sync'"
        if entry.unknownSince != nil { return asked(entry, gate, now, run) }
        switch gate?.reason {
        case .signIn:
            return "its source wants a sign-in; 'siding queue run' tries again, as soon as its `auth:` is good again."
        case .offline:
            return "it is sent when the line is back; \(run) find out."
        case .breaker, .retryAfter:
            let until = gate?.until.map { $0 > now ? " until \($0.rfc3339)" : "" } ?? ""
            return "its source is left alone\(until), because \(gate?.note ?? ""); then it is sent."
        case nil:
            guard entry.nextAttemptAt > now else { return "it is due: \(run) send it." }
            return "\(run) send it from \(entry.nextAttemptAt.rfc3339) on "
                + "(in \((entry.nextAttemptAt - now).components.seconds + 1) s); "
                + "'siding queue retry \(entry.shortID)' \(retry(entry, gate))."
        }
    }

    /// Describes a write in doubt: a delivery probe asks the origin first, and it is sent only if the origin does not have it.
    private static func asked(_ entry: QueueEntry, _ gate: SourceGate?, _ now: Timestamp, _ run: String) -> String {
        let id = entry.shortID
        let from = max(entry.nextAttemptAt, gate?.until ?? entry.nextAttemptAt)
        let wait =
            from > now ? " from \(from.rfc3339) on (in \((from - now).components.seconds + 1) s)" : ", which is due"
        return "\(run) ask the origin whether it has it\(wait): if so it is done, if not it is sent again; "
            + "'siding queue retry \(id)' asks \(retry(entry, gate))."
    }

    /// Describes how an operator can resolve a parked write.
    private static func wayOut(_ entry: QueueEntry) -> String {
        let id = entry.shortID
        let drop = "'siding queue drop \(id)' gives it up"
        let lane = entry.isHead ? " Its lane waits meanwhile." : ""
        switch entry.reason {
        case .uncertain:
            return
                "look whether the origin has it: if so, 'siding queue resolve \(id) --arrived' settles it; if not, "
                + "'siding queue retry \(id)' sends it again.\(lane)"
        case .conflict where entry.lastError?.status == 428:
            return
                "where the config says `if_match: $.PATH`, or a page is the one record, 'siding sync' brings the ETag, and "
                + "'siding queue retry \(id)' sends it with that; \(drop).\(lane)"
        case .conflict where entry.recordKey != nil:
            return
                "'siding queue resolve \(id) --mine' sends it all the same, '--theirs' keeps what the origin has, and "
                + "'--merge FILE' sends what you make of both.\(lane)"
        case .rejected, .conflict, .invalid:
            return
                "'siding queue edit \(id)' corrects and sends it, 'siding queue retry \(id)' sends it as it is, \(drop).\(lane)"
        case .signIn:
            return
                "'siding queue run' or 'siding queue retry \(id)' tries it again once its source's `auth:` is good; \(drop).\(lane)"
        case .keyExpired:
            return
                "look whether the origin has it: if so, 'siding queue resolve \(id) --arrived' settles it; if not, "
                + "'siding queue edit \(id)' sends it under a new key.\(lane)"
        case .held, .poison, .expired, .dependency, nil:
            return "'siding queue release \(id)' lets it go on, \(drop).\(lane)"
        }
    }
}
