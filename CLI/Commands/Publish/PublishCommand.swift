// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Siding
import SidingChain
import SidingHub
import SidingInspection
import SidingJSON
import SidingManifest
import SidingSynchronization

/// `siding publish`: brings what has changed to a PostgreSQL database of many stations.
struct PublishCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "publish", abstract: "Bring what has changed to a PostgreSQL database of many stations.",
        discussion: """
            Sends the records that have changed since the last publication to the targets of 'publish:', in transactions \
            that move the position there too: nothing is lost or doubled, wherever the line breaks (exit 75).
            Prints nothing if all is well and standard output is not a terminal.
            """)

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The target, a name of 'publish:'; all of them by default.") var target: String?
    @Argument(help: "The resources; all of the target by default.") var resources: [String] = []
    @Flag(help: "Show how many changes the target lacks; ask nothing there.") var dryRun = false
    @Flag(help: "Compare what is published with the records here; write nothing. Exit 65 if they differ.")
    var check = false
    @Flag(help: "Be the station from now on: send all records, and delete there what is not here.")
    var adopt = false
    @Flag(help: "Let a comparison delete any number of records there.") var acceptDeletes = false
    @Flag(help: "Print the SQL that makes the tables, for a role that may; ask nothing.") var ddl = false
    @Flag(help: "With --ddl: distribute the tables by the station, as Citus does.") var distributed = false

    func validate() throws {
        if distributed, !ddl { throw ValidationError("--distributed belongs to --ddl.") }
        if [dryRun, check, adopt, ddl].count(where: { $0 }) > 1 {
            throw ValidationError("--dry-run, --check, --adopt and --ddl exclude each other.")
        }
    }

    func run() async throws {
        let status = try await options.withStore(dryRun || check || ddl ? .readOnly : .readWrite) { workspace, store in
            var statuses: [ExitStatus] = []
            for target in try targets(workspace) {
                if ddl {
                    try await printStatements(of: target, store)
                } else if dryRun {
                    for report in try await publisher(to: target, store).foresee(target.resources) {
                        Output.line(
                            options.json ? report.object(of: target.name).text : report.foreseen(at: target.name))
                    }
                } else {
                    statuses += try await check ? compare(with: target, store) : publish(to: target, store)
                    if statuses.contains(where: \.isStop) { break }
                }
            }
            return ExitStatus.combining(statuses, savedAnything: !check && statuses.contains(.success))
        }
        if status != .success { throw status }
    }

    /// The chosen targets, each with the chosen resources.
    private func targets(_ workspace: Workspace) throws -> [HubTarget] {
        let all = workspace.config.targets
        guard !all.isEmpty else {
            throw CommandError(
                .config, "config", "\(workspace.config.file) has no 'publish:'",
                hint: "publish: { fleet: { to: postgresql://USER@HOST/DATABASE } } names a target")
        }
        guard let target else { return all }
        guard var chosen = all.first(where: { $0.name == target }) else {
            throw workspace.notFound("target", target, among: all.map(\.name))
        }
        for resource in resources where !chosen.resources.contains(resource) {
            throw CommandError.notFound(
                "target '\(target)' has no resource '\(PlainText.oneLine(resource, limit: 100))'",
                hint: "it has: \(chosen.resources.joined(separator: ", "))")
        }
        if !resources.isEmpty { chosen.resources = chosen.resources.filter(resources.contains) }
        return [chosen]
    }

    private func publisher(to target: HubTarget, _ store: Store) -> HubPublisher {
        var publisher = HubPublisher(of: store, to: target)
        publisher.options = PublishOptions(adopts: adopt, acceptsDeletes: acceptDeletes)
        return publisher
    }

    private func printStatements(of target: HubTarget, _ store: Store) async throws {
        for statement in try await publisher(to: target, store).statements(
            for: target.resources, isDistributed: distributed)
        {
            Output.line("\(statement);")
        }
    }

    // MARK: Publication

    private func publish(to target: HubTarget, _ store: Store) async throws -> [ExitStatus] {
        let publisher = publisher(to: target, store)
        let statuses = Mutex<[ExitStatus]>([])
        let (_, stopped) = try await Signals.stopping {
            do throws(HubError) {
                _ = try await publisher.publishUnderLease(target.resources, command: "publish \(target.name)") {
                    holder in
                    tell(held: holder, of: target.name)
                    statuses.withLock { $0.append(.locked) }
                } report: { report in
                    tell(report, of: target.name)
                    statuses.withLock { $0.append(report.error.map(ExitStatus.init) ?? .success) }
                }
            } catch {
                if error.kind != .cancelled { tell(error, of: target.name) }
                statuses.withLock { $0.append(ExitStatus(error)) }
            }
        }
        return stopped.map { [$0] } ?? statuses.withLock { $0 }
    }

    // MARK: Comparison

    private func compare(with target: HubTarget, _ store: Store) async throws -> [ExitStatus] {
        let publisher = publisher(to: target, store)
        let statuses = Mutex<[ExitStatus]>([])
        let (_, stopped) = try await Signals.stopping {
            do throws(HubError) {
                try await publisher.compare(target.resources) { comparison in
                    tell(comparison, of: target.name)
                    statuses.withLock {
                        $0.append(comparison.error.map(ExitStatus.init) ?? (comparison.isEqual ? .success : .data))
                    }
                }
            } catch {
                if error.kind != .cancelled { tell(error, of: target.name) }
                statuses.withLock { $0.append(ExitStatus(error)) }
            }
        }
        return stopped.map { [$0] } ?? statuses.withLock { $0 }
    }

    private func tell(_ comparison: HubComparison, of target: String) {
        if options.json { return Output.line(comparison.object(of: target)) }
        if let error = comparison.error {
            if !error.concernsAll { print(error, at: "\(target): \(comparison.resource)") }
            return
        }
        Output.line(comparison.line(of: target))
        guard !comparison.isEqual else { return }
        options.printMessage(
            "        siding publish \(target) \(comparison.resource) --adopt sends all again, and deletes there what is not here"
        )
    }

    // MARK: Reports

    private func tell(_ report: HubReport, of target: String) {
        if options.json { return Output.line(report.object(of: target)) }
        if let line = report.line(of: target), options.terminal.isOutput || options.verbose > 0 { Output.line(line) }
        for line in report.warnings(of: target) { options.printMessage("warning: \(line)") }
        if let error = report.error, !error.concernsAll, !options.json {
            print(error, at: "\(target): \(report.resource)")
        }
    }

    /// Tells what concerns all resources of a target.
    private func tell(_ error: HubError, of target: String) {
        if options.json { return Output.line(["target": target, "error": error.object]) }
        print(error, at: target)
    }

    private func print(_ error: HubError, at place: String) {
        // As for a sync: the line is down, nothing is lost, and cron need not mail.
        if options.quiet, error.kind == .unavailable { return }
        Output.printMessage("siding: \(place): \(error.message)")
        if let hint = error.hint { Output.printMessage("        \(hint)") }
    }

    private func tell(held holder: LeaseHolder, of target: String) {
        let message = "another publication is under way: \(holder)"
        if options.json {
            let error: JSONObject = ["code": Int(ExitStatus.locked.rawValue), "name": "locked", "message": message]
            return Output.line(["target": target, "error": error])
        }
        options.printMessage("siding: \(target): \(message)")
    }
}
