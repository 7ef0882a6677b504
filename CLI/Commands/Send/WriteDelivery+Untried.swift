// SPDX-License-Identifier: Apache-2.0
import Siding
import SidingChain
import SidingInspection

/// What a command says of the writes that it did not try.
extension WriteDelivery {
    /// Reports the writes that were parked or dropped without being tried now, such as on expiry, and includes them in
    /// ``status``.
    func tellParked() async throws {
        try await tellDropped(asJSON: options.json)
        let parked = try await store.writesParked(since: startedAt).filter { !statuses.knows($0) }
        parked.forEach { statuses.add($0) }
        if options.json { return parked.forEach { report($0) } }
        for reason in ParkReason.allCases {
            let count = parked.count { $0.reason == reason }
            // An earlier try, perhaps of a sender that died, may have brought it to the origin.
            let arrived = parked.count { $0.reason == reason && $0.hasUnansweredTry }
            let they = arrived == 1 ? "it" : "they"
            tell(count - arrived, " without being sent: \(reason.rawValue)", reason)
            tell(arrived, ": \(they) may have arrived (\(reason.rawValue))", reason)
        }
    }

    private func tell(_ parked: Int, _ how: String, _ reason: ParkReason) {
        guard parked > 0 else { return }
        Output.printMessage(
            """
            \(MessageFormat.count(parked, "write")) parked\(how); 'siding queue list --state parked --reason \
            \(reason.rawValue)' shows \(parked == 1 ? "it" : "them")
            """)
    }

    /// Reports how many writes were left queued, where those before them were refused in the same way, or failed.
    ///
    /// - Parameter sources: whose due writes the command would have sent: they count for ``status`` although none was tried.
    func tellWaiting(dueOf sources: Set<String> = []) async throws {
        let now = WallClock.system.now
        var waiting: [(gate: SourceGate, until: Timestamp, count: Int)] = []
        for gate in try await store.gates() where gate.reason == .breaker {
            guard let until = gate.until, until > now else { continue }
            var queued = QueueSelection(sources: [gate.source], states: [.queued], kinds: [.write])
            let count = try await store.count(queued)
            guard count > 0 else { continue }
            waiting.append((gate, until, count))
            queued.dueBy = now
            if sources.contains(gate.source), try await store.count(queued) > 0 {
                statuses.addWaiting(of: gate.source)
            }
        }
        guard statuses.combined != nil, !options.json else { return }
        for (gate, until, count) in waiting {
            options.printMessage(
                "\(gate.source): \(MessageFormat.count(count, "write waits", plural: "writes wait")) "
                    + "\(MessageFormat.duration(until - now)), as \(gate.note)")
            options.printMessage("    then one of them is tried; 'siding queue run' tries one at once")
        }
    }

    /// Reports the writes that `conflict: { then: theirs }` has dropped without their being tried, and includes them in
    /// ``status``: what an edit was to do is lost, so it is never silent.
    func tellDropped(asJSON: Bool) async throws {
        for entry in try await store.writesDropped(since: startedAt) where !statuses.knows(entry) {
            let cause = try await store.dropCause(of: entry)
            statuses.add(entry, cause)
            if asJSON { Output.line(Shapes.entry(entry).text) } else { printMessage(entry, cause) }
        }
    }
}
