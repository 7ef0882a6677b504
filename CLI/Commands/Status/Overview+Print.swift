// SPDX-License-Identifier: Apache-2.0
import Siding
import SidingChain
import SidingInspection
import SidingJSON

extension Overview {
    func print(_ options: GlobalOptions) {
        let format = MessageFormat(now: now, isAbsolute: options.utc)
        var table = Table(["resource", ">records", ">quarantined", "complete", "state"])
        var first: [String: String] = [:]
        for line in resources {
            let text = Self.text(of: line, format)
            // One origin that is down is the reason of all its resources.
            let note = text.reason.map { reason in first[reason].map { "as '\($0)'" } ?? reason }
            if let reason = text.reason, first[reason] == nil { first[reason] = line.name }
            table.add(
                [
                    line.name, MessageFormat.grouped(line.state?.records ?? 0), String(line.state?.quarantined ?? 0),
                    (line.state?.completedAt).map(format.time) ?? "never", text.withoutReason,
                ], note: note)
        }
        table.print(options.terminal)
        Output.line("queue: \(queueLine)")
        gateLines.forEach { Output.line($0) }
        for limit in limits { Output.line(Self.line(limit, now: now)) }
        for target in targets { target.lines(format).forEach { Output.line($0) } }
        if let lastRun {
            Output.line(
                "last run: \(lastRun.id), \(lastRun.outcome?.rawValue ?? "running"), \(format.time(lastRun.startedAt))")
        }
        Output.line("network: \(networkLine)")
        Output.line("database: \(databaseLine)")
    }
}
