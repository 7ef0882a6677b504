// SPDX-License-Identifier: Apache-2.0
import Siding
import SidingInspection
import SidingChain
import SidingManifest
import SidingNetwork

/// Runs the sync engine for a command: progress, messages or JSON, and the exit code.
struct SyncRunner {
    let options: GlobalOptions
    let workspace: Workspace
    let store: Store
    let isOffline: Bool
    /// Whether to draw the progress line; false if other tasks write to the terminal meanwhile.
    var showsProgress = true
    /// The part that this station fetches; nil for everything.
    var shard: Shard?

    /// Syncs `resources`; a signal stops it between pages.
    ///
    /// - Parameter writes: delivers the due writes of each source before its resources are synced; nil sends none.
    func run(
        _ resources: [AnyResource], _ syncOptions: SyncOptions, command: String, sending writes: WriteDelivery? = nil
    ) async throws -> ExitStatus {
        let result = try await Network.using { http in
            let transports: any TransportFactory =
                isOffline ? OfflineTransports() : options.watching(http, workspace.config)
            return try await sync(resources, syncOptions, command: command, over: transports, sending: writes)
        }
        return status(of: result.value, stopped: result.stopped)
    }

    /// Syncs `resources` over existing transports and prints the result of each.
    func sync(
        _ resources: [AnyResource], _ syncOptions: SyncOptions, command: String, over transports: any TransportFactory,
        sending writes: WriteDelivery? = nil
    ) async throws(StoreError) -> [SyncReport] {
        let progress = ProgressLine(options.terminal, isQuiet: options.quiet || options.json || !showsProgress)
        var engine = SyncEngine(
            store: store, transports: transports, signIns: workspace.signIns(transports),
            environment: RuntimeEnvironment(logger: options.logger()),
            progress: { progress.show($0) }
        ).sharing(shard, of: workspace.config.resources)
        if let writes {
            let sender = writes.sender(over: transports)
            try await sender.endEarlierWaits(of: Set(resources.map(\.source.name)))
            engine.sender = sender
            engine.delivered = { entry in
                progress.clear()
                writes.noteDue(entry)
            }
        }
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
            reports.count > 1 && reports.contains { $0.result.outcome?.isSuccess ?? false }
        return ExitStatus.combining(statuses, savedAnything: saved)
    }

    private func tell(_ report: SyncReport) {
        if options.json {
            Output.line(Shapes.sync(report).text)
            Output.flush()
            return
        }
        let result = report.result
        switch result.outcome {
        case .failed where report.failure?.reason == .cancelled:
            options.printMessage("\(result.resource): stopped; the next sync continues from here")
        case .failed:
            Output.printMessage("\(result.resource): failed: \(result.error?.message ?? "")")
            if let hint = result.error?.hint { Output.printMessage("    \(hint)") }
        case .queued where report.closedGate != nil: waiting(report)
        case .queued:
            options.printMessage("\(result.resource): queued: \(result.error?.message ?? "")")
            if let entry = result.entry { options.printMessage("    'siding queue show \(entry.prefix(8))' explains") }
        case .skipped where report.failure != nil:
            options.printMessage("\(result.resource): skipped: \(result.error?.message ?? "")")
        case .skipped where report.heldBy != nil:
            Output.printMessage("\(result.error?.message ?? "")")
            if let hint = result.error?.hint { Output.printMessage("    \(hint)") }
        case .saved where result.counters.quarantined > 0:
            Output.printMessage(
                "\(result.resource): \(quarantined(result.counters)): 'siding quarantine list' shows which and why")
            summary(result)
        default: summary(result)
        }
        notes(report)
    }

    private func waiting(_ report: SyncReport) {
        guard let gate = report.closedGate else { return }
        let wait = gate.until.map { MessageFormat.duration(max($0 - options.messageFormat.now, .zero)) } ?? "a while"
        options.printMessage("\(report.result.resource): waits \(wait) more: \(gate.note)")
        if let hint = report.result.error?.hint { options.printMessage("    \(hint)") }
    }

    /// The quarantined records and answers, as a message.
    private func quarantined(_ counters: RunCounters) -> String {
        let answers = counters.answersQuarantined
        let records = counters.quarantined - answers
        var parts: [String] = []
        if records > 0 { parts.append("\(MessageFormat.count(records, "record")) broke the contract") }
        if answers > 0 {
            parts.append(
                "\(MessageFormat.count(answers, "answer")) \(answers == 1 ? "was" : "were") quarantined by a rule")
        }
        return parts.joined(separator: ", and ")
    }

    private var isChatty: Bool { (options.terminal.isOutput || options.verbose > 0) && !options.quiet }

    private func summary(_ result: RunResource) {
        guard isChatty else { return }
        let counters = result.counters
        switch result.outcome {
        case .notModified:
            Output.printMessage(
                "\(result.resource): not modified (\(MessageFormat.count(counters.pages, "page")), "
                    + "\(MessageFormat.duration(result.duration)))")
        case .skipped: Output.printMessage("\(result.resource): skipped")
        default:
            Output.printMessage(
                "\(result.resource): \(result.outcome == .partial ? "partly " : "")saved \(counters.inserted) new, "
                    + "\(counters.updated) changed, "
                    + "\(counters.unchanged) unchanged"
                    + (counters.deleted > 0 ? ", \(counters.deleted) deleted" : "") + "\(counters.unsaved) ("
                    + "\(MessageFormat.count(counters.pages, "page")), "
                    + "\(MessageFormat.size(counters.bytes)), \(MessageFormat.duration(result.duration)))")
        }
    }

    /// Prints warnings always, other notes only on a terminal or with `-v`.
    private func notes(_ report: SyncReport) {
        let notes = isChatty ? report.result.notes : report.warnings
        // Blocked deletions need somebody to look at them, also where cron asks for silence.
        let isTold = report.result.counters.deletionsBlocked > 0
        for note in notes {
            let message = "\(report.result.resource): \(note)"
            if isTold { Output.printMessage(message) } else { options.printMessage(message) }
        }
    }
}

extension RunCounters {
    /// The records that were left out, as the end of a list of counts: quarantined, or superseded on their own page.
    var unsaved: String {
        let parts = [
            (quarantined - answersQuarantined, "quarantined"), (duplicates, "with a key that its page repeats"),
        ]
        return parts.filter { $0.0 > 0 }.map { ", \($0) \($1)" }.joined()
    }
}

extension ExitStatus {
    /// The exit code of one resource's report.
    init(_ report: SyncReport) {
        switch report.result.outcome {
        case .failed:
            let status = report.failure.map(ExitStatus.init) ?? .failure
            // A failure rule of the config made a temporary failure permanent.
            self = status == .failure && report.isFailedByRule ? .refused : status
        case .queued: self = .queued
        case .skipped: self = report.heldBy == nil ? report.failure.map(ExitStatus.init) ?? .success : .locked
        case .saved, .notModified:
            let counters = report.result.counters
            self = counters.deletionsBlocked > 0 ? .deletionGuard : counters.quarantined > 0 ? .partial : .success
        case .partial: self = report.result.counters.deletionsBlocked > 0 ? .deletionGuard : .partial
        case .interrupted, nil: self = .failure
        }
    }
}
