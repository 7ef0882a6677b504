import Siding
import SidingChain
import SidingNetwork

/// Runs the sync engine for a command: progress, messages or JSON, and the exit code.
struct SyncRunner {
    let options: GlobalOptions
    let workspace: Workspace
    let store: Store
    let isOffline: Bool
    /// Whether to draw the progress line; false if other tasks write to the terminal meanwhile.
    var showsProgress = true

    /// Syncs `resources`; a signal stops it between pages.
    func run(_ resources: [AnyResource], _ syncOptions: SyncOptions, command: String) async throws -> ExitStatus {
        let result = try await Network.using { http in
            let transports: any TransportFactory = isOffline ? OfflineTransports() : http
            return try await sync(resources, syncOptions, command: command, over: transports)
        }
        return status(of: result.value, stopped: result.stopped)
    }

    /// Syncs `resources` over existing transports and prints the result of each.
    func sync(
        _ resources: [AnyResource], _ syncOptions: SyncOptions, command: String, over transports: any TransportFactory
    ) async throws(StoreError) -> [SyncReport] {
        let progress = ProgressLine(options.terminal, isQuiet: options.quiet || options.json || !showsProgress)
        let engine = SyncEngine(
            store: store, transports: transports, signIns: workspace.signIns(transports),
            environment: Environment(logger: options.logger()),
            progress: { progress.show($0) })
        return try await engine.run(resources, options: syncOptions, command: command) { report in
            progress.clear()
            tell(report)
        }
    }

    private func status(of reports: [SyncReport], stopped: ExitStatus?) -> ExitStatus {
        if let stopped { return stopped }
        let statuses = reports.map(ExitStatus.init)
        // With a single resource the failure's own code is more useful than "partial".
        let saved =
            reports.count > 1 && reports.contains { $0.line.outcome == .saved || $0.line.outcome == .notModified }
        return ExitStatus.combining(statuses, savedAnything: saved)
    }

    private func tell(_ report: SyncReport) {
        if options.json {
            Output.line(Shapes.sync(report).text)
            Output.flush()
            return
        }
        let line = report.line
        switch line.outcome {
        case .failed where report.failure?.reason == .cancelled:
            options.printMessage("\(line.resource): stopped; the next sync continues there")
        case .failed:
            Output.printMessage("\(line.resource): failed: \(line.error?.message ?? "")")
            if let hint = line.error?.hint { Output.printMessage("    \(hint)") }
        case .queued:
            options.printMessage("\(line.resource): queued: \(line.error?.message ?? "")")
            if let entry = line.entry { options.printMessage("    'siding queue show \(entry.prefix(8))' explains") }
        case .skipped where report.failure != nil:
            options.printMessage("\(line.resource): skipped: \(line.error?.message ?? "")")
        case .skipped where report.heldBy != nil:
            Output.printMessage("\(line.error?.message ?? "")")
            if let hint = line.error?.hint { Output.printMessage("    \(hint)") }
        case .saved where line.counters.quarantined > 0:
            Output.printMessage(
                "\(line.resource): \(setAside(line.counters)): 'siding quarantine list' shows which and why")
            summary(line)
        default: summary(line)
        }
        notes(report)
    }

    /// The quarantined records and answers, as a message.
    private func setAside(_ counters: RunCounters) -> String {
        let answers = counters.answersSetAside
        let records = counters.quarantined - answers
        var parts: [String] = []
        if records > 0 { parts.append("\(MessageFormat.count(records, "record")) broke the contract") }
        if answers > 0 {
            parts.append(
                "\(MessageFormat.count(answers, "answer")) \(answers == 1 ? "was" : "were") set aside by a rule")
        }
        return parts.joined(separator: ", and ")
    }

    private var isChatty: Bool { (options.terminal.isOutput || options.verbose > 0) && !options.quiet }

    private func summary(_ line: RunResource) {
        guard isChatty else { return }
        let counters = line.counters
        switch line.outcome {
        case .notModified:
            Output.printMessage(
                "\(line.resource): not modified (\(MessageFormat.count(counters.pages, "page")), "
                    + "\(MessageFormat.duration(line.duration)))")
        case .skipped: Output.printMessage("\(line.resource): skipped")
        default:
            Output.printMessage(
                "\(line.resource): \(line.outcome == .partial ? "partly " : "")saved \(counters.inserted) new, "
                    + "\(counters.updated) changed, "
                    + "\(counters.unchanged) unchanged"
                    + (counters.deleted > 0 ? ", \(counters.deleted) deleted" : "") + "\(counters.unsaved) ("
                    + "\(MessageFormat.count(counters.pages, "page")), "
                    + "\(MessageFormat.size(counters.bytes)), \(MessageFormat.duration(line.duration)))")
        }
    }

    /// Prints warnings always, other notes only on a terminal or with `-v`.
    private func notes(_ report: SyncReport) {
        let told = isChatty ? report.line.notes : report.warnings
        for note in told { options.printMessage("\(report.line.resource): \(note)") }
    }
}

extension RunCounters {
    /// The records that were left out, as the end of a list of counts: quarantined, or superseded on their own page.
    var unsaved: String {
        let parts = [(quarantined - answersSetAside, "quarantined"), (duplicates, "with a key that its page repeats")]
        return parts.filter { $0.0 > 0 }.map { ", \($0) \($1)" }.joined()
    }
}

extension ExitStatus {
    /// The exit code of one resource's report.
    init(_ report: SyncReport) {
        switch report.line.outcome {
        case .failed:
            let status = report.failure.map(ExitStatus.init) ?? .failure
            // A failure rule of the config made a temporary failure permanent.
            self = status == .failure && report.isFailedByRule ? .refused : status
        case .queued: self = .queued
        case .skipped: self = report.heldBy == nil ? report.failure.map(ExitStatus.init) ?? .success : .locked
        case .saved, .notModified:
            let counters = report.line.counters
            self = counters.withheld > 0 ? .deletionGuard : counters.quarantined > 0 ? .partial : .success
        case .partial: self = report.line.counters.withheld > 0 ? .deletionGuard : .partial
        case .interrupted, nil: self = .failure
        }
    }
}
