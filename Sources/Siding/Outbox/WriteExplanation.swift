internal import SidingChain

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
