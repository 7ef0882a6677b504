// SPDX-License-Identifier: Apache-2.0
import Foundation
import SidingInspection
import Siding
import SidingChain
import SidingJSON
import SidingManifest
import SidingNetwork

/// `siding plan --fetch`: runs a sync on a copy of the database and reports its requests and changes.
struct Rehearsal {
    let options: GlobalOptions
    let workspace: Workspace
    /// The database; nil if there is none yet.
    let store: Store?
    /// The part that this station fetches; nil for everything.
    let shard: Shard?

    /// Syncs `resources` on the copy one after the other and reports each result.
    func run(_ resources: [AnyResource], _ syncOptions: SyncOptions) async throws -> ExitStatus {
        // The copy contains the database's records, so only this user may read it.
        let directory = try TemporaryDirectory.make("plan", hint: "TMPDIR names another directory")
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let progress = ProgressLine(options.terminal, isQuiet: options.quiet || options.json)
        let result = try await Network.using { http in
            let transports = options.watching(http, workspace.config)
            let rehearsal = try await SyncRehearsal(
                of: store, at: "\(directory)/plan.db", shard: shard, of: workspace.config.resources,
                transports: transports, signIns: workspace.signIns(transports),
                environment: RuntimeEnvironment(logger: options.logger()), progress: { progress.show($0) })
            var statuses: [ExitStatus] = []
            for resource in resources where !Task.isCancelled {
                let rehearsed = try await rehearsal.sync(resource, options: syncOptions)
                progress.clear()
                tell(rehearsed)
                statuses.append(ExitStatus(rehearsed.report))
            }
            await rehearsal.close()
            return statuses
        }
        if let stopped = result.stopped { return stopped }
        return ExitStatus.combining(
            result.value, savedAnything: result.value.count > 1 && result.value.contains(.success))
    }

    private func tell(_ rehearsed: RehearsedSync) {
        if options.json {
            Output.line(object(rehearsed).text)
            Output.flush()
            return
        }
        let result = rehearsed.report.result
        Output.line("\(PlainText.oneLine(result.resource)): a sync would \(effect(of: rehearsed))")
        if let error = result.error {
            Output.line("    \(PlainText.oneLine(error.message, limit: 2000))")
            if let hint = error.hint { Output.line("    \(hint)") }
        }
        for note in result.notes { Output.line("    \(PlainText.oneLine(note, limit: 2000))") }
        listed(rehearsed.requests) { request in
            "\(request.method) \(PlainText.oneLine(request.url, limit: 2000)): \(request.status.map(String.init) ?? "no answer")"
        }
        listed(rehearsed.changes) { "\($0.kind.rawValue) \(PlainText.oneLine($0.key, limit: 200))" }
    }

    /// Completes the sentence `a sync would …`.
    private func effect(of rehearsed: RehearsedSync) -> String {
        let counters = rehearsed.report.result.counters
        let counts =
            "\(rehearsed.count(.inserted)) new, \(rehearsed.count(.updated)) changed, \(rehearsed.count(.deleted)) deleted, "
            + "\(counters.unchanged) unchanged\(counters.unsaved) (\(MessageFormat.count(counters.pages, "page")))"
        return switch rehearsed.report.result.outcome {
        case .saved: "save \(counts)"
        case .partial: "partly save \(counts)"
        case .notModified: "change nothing: \(counts)"
        case .queued: "queue a page: \(counts)"
        case .skipped: "skip it"
        case .failed, .interrupted, nil: "fail: \(counts)"
        }
    }

    /// Prints the first 20 elements; all with `-v`.
    private func listed<Element>(_ all: [Element], _ text: (Element) -> String) {
        let most = options.verbose > 0 ? all.count : 20
        for element in all.prefix(most) { Output.line("    \(text(element))") }
        if all.count > most { Output.line("    … and \(MessageFormat.grouped(all.count - most)) more (-v shows all)") }
    }

    private func object(_ rehearsed: RehearsedSync) -> JSONObject {
        var object = Shapes.sync(rehearsed.report)
        object.add(["requests": rehearsed.requests.map(request), "changes": rehearsed.changes.map(change)])
        return object
    }

    private func request(_ request: RehearsedRequest) -> JSONObject {
        ["method": request.method, "url": request.url, "status": request.status]
    }

    private func change(_ change: ChangedRecord) -> JSONObject {
        ["key": change.key, "change": change.kind.rawValue]
    }
}
