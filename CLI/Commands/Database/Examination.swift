// SPDX-License-Identifier: Apache-2.0
import SidingJSON
import SidingInspection
import Foundation
import Siding
import SidingChain
import SidingManifest
import SidingNetwork

/// The checks of `siding doctor`, in order; a failed check does not stop the others.
struct Examination {
    let options: GlobalOptions

    func findings() async -> [Finding] {
        var findings = [executable]
        let workspace: Workspace
        do {
            workspace = try Workspace.load(options)
            findings.append(
                Finding(check: "config", level: .good, message: "\(workspace.config.file) is valid"))
        } catch {
            let problem = CommandError(error)
            return findings + [bad("config", problem)] + machine
        }
        findings += await secrets(workspace)
        findings += permissions(workspace)
        findings += await SourceNetwork.findings(for: workspace.config.sources, now: WallClock.system.now)
        findings += await database(workspace)
        findings += await HubAccess.findings(for: workspace.config.targets)
        return findings + machine
    }

    private var executable: Finding {
        Finding(check: "siding", level: .good, message: Version.number)
    }

    private func bad(_ check: String, _ problem: CommandError) -> Finding {
        let hint = problem.hint.map { "; \($0)" } ?? ""
        return Finding(check: check, level: .bad, message: problem.message + hint, status: problem.status)
    }

    private func secrets(_ workspace: Workspace) async -> [Finding] {
        await workspace.config.secretFaults().map { fault in
            Finding(check: "secret", level: .bad, message: fault.description, status: .config)
        }
    }

    // MARK: The file

    private func permissions(_ workspace: Workspace) -> [Finding] {
        func directory(_ path: String) -> String { URL(filePath: path).deletingLastPathComponent().path }
        let (database, config) = (workspace.databasePath, workspace.config.file)
        // Who can write the config can send credentials anywhere, and run programs. A group may read the database (Docs/Operating.md).
        let others = [(database, 0o037), (directory(database), 0o022), (config, 0o022), (directory(config), 0o022)]
        let exposures =
            others.compactMap { FileExposure(of: $0, unwanted: $1) }
            + workspace.config.secretFiles.compactMap { FileExposure(ofSecret: $0) }
        return exposures.map { Finding(check: "permissions", level: .warning, message: "\($0)") }
    }

    private func database(_ workspace: Workspace) async -> [Finding] {
        do {
            return try await workspace.withStore(.readOnly) { store in
                try await file(store) + clock(store) + leftovers(workspace, store) + holders(store)
                    + sources(workspace, store)
            }
        } catch {
            let problem = CommandError(error)
            guard problem.status == .notFound else { return [bad("database", problem)] }
            return [
                Finding(check: "database", level: .warning, message: "\(problem.message); 'siding sync' makes it")
            ]
        }
    }

    private func file(_ store: Store) async throws -> [Finding] {
        let about = try await store.description()
        let problems = try await store.check()
        var findings = [
            Finding(
                check: "database", level: .good,
                message: "\(about.path), \(MessageFormat.size(about.bytes)), schema \(about.schemaVersion)"),
            Finding(
                check: "sqlite", level: .good,
                message: about.hasWALResetBug
                    ? "\(about.sqliteVersion), whose WAL-reset bug Siding avoids; other programs that write the file would not"
                    : about.sqliteVersion),
        ]
        if let full = about.fullDisk {
            findings.append(
                Finding(
                    check: "disk", level: .bad, message: "\(full): free space on the disk of the database",
                    status: .inputOutput))
        }
        findings += problems.map { Finding(check: "integrity", level: .bad, message: $0, status: .inputOutput) }
        if problems.isEmpty { findings.append(Finding(check: "integrity", level: .good, message: "sound")) }
        return findings
    }

    /// Whether the clock is behind the newest rows, as after it was set back.
    private func clock(_ store: Store) async throws -> [Finding] {
        let now = WallClock.system.now
        let run = try await store.runs(limit: 1).first.map { ("run \($0.id) began", $0.startedAt) }
        let entry = try await store.entries(QueueSelection()).max { $0.createdAt < $1.createdAt }
            .map { ("queue entry \($0.shortID) was made", $0.createdAt) }
        let listing = try await store.resourceStates(countsRecords: false)
            .compactMap { state in state.completedAt.map { ("the listing of '\(state.resource)' ended", $0) } }
            .max { $0.1 < $1.1 }
        let rows = [run, entry, listing].compactMap(\.self)
        guard let (what, moment) = rows.max(by: { $0.1 < $1.1 }), moment > now + MessageFormat.clockTolerance else {
            return []
        }
        return [
            Finding(
                check: "clock", level: .warning,
                message: "\(what) \(MessageFormat.duration(moment - now)) after the present time: the clock was ahead "
                    + "then, or is behind now"
            )
        ]
    }

    /// Resources that are stored and that the config has no more.
    private func leftovers(_ workspace: Workspace, _ store: Store) async throws -> [Finding] {
        let known = Set(workspace.config.resources.map(\.name))
        return try await store.resourceStates().filter { !known.contains($0.resource) }.map { state in
            let name = PlainText.oneLine(state.resource)
            return Finding(
                check: "resource", level: .warning,
                message:
                    "\(name): \(MessageFormat.count(state.records, "record")) stored, but the config no longer has the resource; "
                    + "'siding records forget \(name)' removes them")
        }
    }

    private func holders(_ store: Store) async throws -> [Finding] {
        try await store.leases().map { lease in
            let who = "process \(lease.holder.processID) (\(lease.holder.command)) since \(lease.holder.since.rfc3339)"
            return Finding(
                check: "lock", level: .good,
                message: lease.isAlive
                    ? "\(lease.name): held by \(who)"
                    : "\(lease.name): left by \(who), which died; the next run takes it")
        }
    }

    /// Source health from stored gates and the last runs; sends nothing.
    private func sources(_ workspace: Workspace, _ store: Store) async throws -> [Finding] {
        let runs = try await store.runs(limit: 50)
        let gates = try await store.gates()
        return workspace.config.sources.map { source in
            if let gate = gates.first(where: { $0.source == source.name }) {
                return Finding(
                    check: "source", level: .warning, message: "\(source.name): \(gate.word): \(gate.note)"
                )
            }
            let names = Set(workspace.config.resources.filter { $0.source.name == source.name }.map(\.name))
            for run in runs {
                // A secret that could not be read has failed before any request.
                let lines = run.resources.filter {
                    names.contains($0.resource) && ($0.counters.requests > 0 || $0.error != nil)
                }
                guard let line = lines.first(where: { $0.error != nil }) ?? lines.first else { continue }
                let message = "\(source.name): run \(run.id) \(line.outcome?.rawValue ?? "unfinished")"
                return Finding(
                    check: "source", level: line.outcome?.isSuccess ?? false ? .good : .warning,
                    message: message + (line.error.map { ": \($0.message)" } ?? ""))
            }
            return Finding(check: "source", level: .good, message: "\(source.name): never asked")
        }
    }

    // MARK: The machine

    private var machine: [Finding] {
        let hasRoute = LinuxConnectivity().hasUsableRoute()
        let resolver = (try? String(contentsOfFile: "/etc/resolv.conf", encoding: .utf8)) ?? ""
        let hasResolver = resolver.split(separator: "\n").contains { $0.hasPrefix("nameserver") }
        let year = WallClock.system.now.rfc3339.prefix(4)
        return [
            Finding(
                check: "clock", level: year < "2025" ? .warning : .good,
                message: WallClock.system.now.rfc3339 + (year < "2025" ? ": TLS will fail until it is set" : "")),
            Finding(
                check: "dns", level: hasResolver ? .good : .warning,
                message: hasResolver ? "a resolver is configured" : "/etc/resolv.conf names no resolver"),
            Finding(
                check: "route", level: hasRoute ? .good : .warning,
                message: hasRoute ? "a network route exists" : "no network route exists: requests will be queued"),
        ]
    }
}
