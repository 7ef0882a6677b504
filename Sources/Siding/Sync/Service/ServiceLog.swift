// SPDX-License-Identifier: Apache-2.0
internal import Logging
internal import SidingChain
internal import SidingSynchronization

/// Logs what a service did, for the journal of a daemon: syncs that changed records, deliveries, and what is wrong, once until it
/// changes. A service that has nothing to do logs nothing.
///
/// The level is `notice`, for what is wrong `warning`; `info` is that of single requests.
final class ServiceLog: Sendable {
    private struct Condition: Equatable {
        /// The name and the status of the failure. Its message may have a moment in it, which is another one each time.
        var failure: [String?] = []
        var warnings: [String] = []
    }

    private let logger: Logger
    /// What was wrong with each resource at its last sync.
    private let conditions = Mutex<[String: Condition]>([:])

    init(_ logger: Logger) {
        self.logger = logger
    }

    func note(_ reports: [SyncReport]) {
        // A resource that another run holds, or whose sync was stopped, is well for all that is known.
        for report in reports where report.heldBy == nil && report.failure?.reason != .cancelled { note(report) }
    }

    private func note(_ report: SyncReport) {
        let result = report.result
        let condition = Condition(
            failure: result.error.map { [$0.name, $0.status.map(String.init)] } ?? [], warnings: report.warnings)
        let last = conditions.withLock { $0.updateValue(condition, forKey: result.resource) } ?? Condition()
        let resource: Logger.Metadata = ["resource": "\(result.resource)"]
        if let error = result.error {
            guard condition.failure != last.failure else { return }
            let message: Logger.Message = result.outcome == .queued ? "a page is queued" : "the sync failed"
            logger.warning(message, metadata: resource.merging(["error": "\(error.message)"]) { own, _ in own })
        } else if result.counters.changed > 0 || !last.failure.isEmpty {
            logger.notice("synced", metadata: resource.merging(result.counters.logged) { own, _ in own })
        }
        guard condition.warnings != last.warnings else { return }
        for warning in condition.warnings { logger.warning("\(warning)", metadata: resource) }
    }

    func note(_ entry: QueueEntry) {
        let metadata: Logger.Metadata = ["entry": "\(entry.shortID)", "request": "\(entry.method) \(entry.url)"]
        switch entry.state {
        case .done: logger.notice(entry.isOnlyAccepted ? "accepted (202)" : "delivered", metadata: metadata)
        case .parked, .dropped:
            let error = entry.lastError?.message ?? entry.reason?.rawValue ?? ""
            logger.warning(
                entry.state == .parked ? "a write is parked" : "a write was dropped",
                metadata: metadata.merging(["error": "\(error)"]) { own, _ in own })
        // It is tried again; an outage would log a line per write and try.
        case .queued, .sending: break
        }
    }
}

extension RunCounters {
    /// The counts that are not 0 of records that differ from before.
    fileprivate var logged: Logger.Metadata {
        let counts = ["new": inserted, "changed": updated, "deleted": deleted, "quarantined": quarantined]
        return counts.filter { $0.value > 0 }.mapValues { "\($0)" }
    }
}
