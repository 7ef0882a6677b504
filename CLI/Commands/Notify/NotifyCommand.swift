// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Siding
import SidingChain
import SidingInspection
import SidingManifest
import SidingNotifications

/// `siding notify`: shows what hooks are notified of, and tries them.
struct NotifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "notify", abstract: "Show what is wrong since when, and try the hooks of 'notify' in the config.",
        subcommands: [NotifyListCommand.self, NotifyTestCommand.self], defaultSubcommand: NotifyListCommand.self)
}

/// `siding notify list`: shows the incidents that the last run left.
struct NotifyListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List incidents: what is wrong since when, how many hooks were notified, and how many failed.",
        discussion: """
            An incident begins and ends at the end of a sync, of a queue run, or while siding serve looks. One that is over is \
            listed until the hooks were notified.
            """)

    @OptionGroup var options: GlobalOptions

    func run() async throws {
        try await options.withStore { workspace, store in
            let incidents = try await store.incidents()
            if options.json {
                for incident in incidents { Output.line(object(incident)) }
                return
            }
            guard !incidents.isEmpty else {
                if workspace.config.hooks.isEmpty {
                    options.printMessage("\(workspace.config.file) has no 'notify', so no one is notified")
                } else if options.terminal.isOutput {
                    options.printMessage("nothing is wrong")
                }
                return
            }
            let format = options.messageFormat
            var table = Table(["kind", "subject", "since", "state", ">notified", ">failed", "message"])
            for incident in incidents {
                table.add([
                    incident.key.kind.rawValue, incident.key.subject, format.time(incident.since),
                    incident.endedAt.map { "over, \(format.time($0))" } ?? "active", String(incident.notified.count),
                    String(Self.failed(incident)), incident.message,
                ])
            }
            table.print(options.terminal)
        }
    }

    private func object(_ incident: Incident) -> JSONObject {
        [
            "kind": incident.key.kind.rawValue, "subject": incident.key.subject, "since": incident.since,
            "ended_at": incident.endedAt, "message": incident.message, "notified": incident.notified.count,
            "failed": Self.failed(incident),
        ]
    }

    /// The number of hooks that were called in vain, and did not take it since.
    private static func failed(_ incident: Incident) -> Int {
        incident.failedCalls.keys.count { !incident.notified.contains($0) }
    }
}

/// `siding notify test`: sends a sample to each hook.
struct NotifyTestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test", abstract: "Send a sample to each hook, and show which took it.",
        discussion: "Exits 1 if a hook failed. Nothing is stored.")

    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let workspace = try Workspace.load(options)
        guard !workspace.config.hooks.isEmpty else {
            throw CommandError.notFound(
                "\(workspace.config.file) has no hooks to test",
                hint: "Docs/Notifications.md shows how to declare them under 'notify'")
        }
        let failures = try await Network.using { http in
            var failures = 0
            for hook in workspace.config.hooks {
                let failure = await workspace.hookCall(over: http)
                    .test(hook, host: Workspace.host, now: WallClock.system.now)
                show(hook, failure)
                if failure != nil { failures += 1 }
            }
            return failures
        }
        if let stopped = failures.stopped { throw stopped }
        if failures.value > 0 { throw ExitStatus.failure }
    }

    private func show(_ hook: NotificationHook, _ failure: String?) {
        if options.json {
            Output.line(["hook": hook.description, "ok": failure == nil, "error": failure])
        } else {
            Output.line("\(hook.description): \(failure.map { "failed: \($0)" } ?? "ok")")
        }
        Output.flush()
    }
}
