// SPDX-License-Identifier: Apache-2.0
internal import Siding
internal import SidingChain
internal import SidingInspection

/// What happens next with an entry, in the words of its page: with the actions that the page has, not with commands.
struct NextStep {
    private let entry: QueueEntry
    private let gate: SourceGate?
    private let format: MessageFormat

    init(_ entry: QueueEntry, gate: SourceGate?, _ format: MessageFormat) {
        (self.entry, self.gate, self.format) = (entry, gate, format)
    }

    /// - Parameter explanation: what commands say, which is right for a page too where nobody has to act.
    func text(_ explanation: QueueExplanation) -> String {
        switch entry.state {
        case .done, .dropped: explanation.next
        case .sending: "it is under way now; if its process ended, the service takes it up again."
        case .queued where entry.kind == .write && (entry.waitsOn > 0 || !entry.isHead): explanation.next
        case .queued: queued
        case .parked where entry.kind == .fetch && !entry.waitsForPerson:
            "the next sync tries it again, and so does ‘Try now’."
        case .parked: parked + (entry.isHead && !entry.isAloneInLane ? " Its lane waits until then." : "")
        }
    }

    private var queued: String {
        let does =
            entry.kind == .fetch
            ? "fetches the page"
            : entry.unknownSince == nil ? "sends it" : "asks the origin whether it arrived, and sends it if it did not"
        if let gate {
            switch gate.reason {
            case .signIn:
                return "its source needs a sign-in: correct its ‘auth’ in the config, and the service \(does)."
            case .offline: return "this machine has no network; once it has one, the service \(does)."
            case .portal: return "a web page answers in place of the origin: sign in to this network."
            case .breaker, .retryAfter:
                let until = gate.until.map { $0 > format.now ? " \(format.next($0))" : "" } ?? ""
                return "its source is left alone, as \(gate.note); then the service \(does)\(until)."
            }
        }
        let isDue = entry.isDue(at: format.now)
        return "the service \(does) \(isDue ? "at its next look for work" : format.next(entry.nextAttemptAt))."
    }

    private var parked: String {
        switch entry.reason {
        case .uncertain where entry.isDoubtOfAnswer:
            "look what the origin did. Send what is missing by a write of its own, then choose ‘It has arrived…’; "
                + "‘Try now’ sends all of it again."
        case .uncertain:
            "look whether the origin has it. If so, choose ‘It has arrived…’; if not, ‘Try now’ sends it again."
        case .keyExpired:
            "look whether the origin has it. If so, choose ‘It has arrived…’; if not, "
                + "'siding queue edit \(entry.shortID)' sends it under a new key."
        case .conflict where entry.lastError?.status == 428:
            "sync the resource, which stores the record's ETag where the config has ‘if_match’; then choose ‘Try now’."
        case .conflict where entry.recordKey != nil:
            "compare both sides below, and decide: ‘Merge…’, ‘Send mine…’ or ‘Keep theirs…’."
        case .rejected, .conflict, .invalid:
            "if the origin takes it now, choose ‘Try now’; 'siding queue edit \(entry.shortID)' corrects it, and "
                + "‘Drop…’ gives it up."
        case .signIn: "correct its source's ‘auth’ in the config; then choose ‘Try now’."
        case .dependency where !TemporaryID.found(in: Array(entry.url.utf8)).isEmpty:
            "'siding queue edit \(entry.shortID) --url URL', with the record's real id in the URL, sends it; "
                + "‘Drop…’ gives it up."
        case .held, .poison, .expired, .dependency, nil: "nothing, until somebody chooses ‘Release’ or ‘Drop…’."
        }
    }
}
