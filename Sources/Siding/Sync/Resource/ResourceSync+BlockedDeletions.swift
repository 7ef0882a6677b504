// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingJSON

extension ResourceSync {
    /// Tells of deletions that the mass-deletion guard blocked.
    ///
    /// - Parameters:
    ///   - others: resources that must be listed too before the deletions can be reconciled.
    ///   - asksAll: whether only a full sync can reconcile them again.
    ///   - ofOtherShards: how many of them were reported already, as other shards fetch their parents.
    func warnOfBlockedDeletions(
        _ report: inout SyncReport, with others: [String] = [], asksAll: Bool = false,
        besides ofOtherShards: Int = 0
    ) async throws(StoreError) {
        let count = report.result.counters.deletionsBlocked - ofOtherShards
        guard count > 0 else { return }
        let nullFiltered = try await engine.store.nullFiltered(of: resource.name)
        if let nullFiltered {
            report.warn(
                "'where' leaves out \(nullFiltered.message). \(resource.deletions.excess), so they were kept. To remove them: siding "
                    + "sync \(resource.name) \(engine.shardOption)--accept-deletes")
        }
        let absent = count - (nullFiltered?.count ?? 0)
        guard absent > 0 else { return }
        let keys = try await engine.store.missingKeys(of: resource.name, limit: 6)
        guard !keys.isEmpty else { return }
        let shown = keys.prefix(5).map { PlainText.oneLine($0, limit: 40) }.joined(separator: ", ")
        // Some may be missing for the first time: the next complete listing may delete them.
        let found = try await engine.store.missing(of: resource.name, countsLiving: true)
        let are =
            found.missing > absent
            ? "\(MessageFormat.grouped(found.missing)) of \(MessageFormat.count(found.living, "record")) are missing at the origin "
                + "(\(MessageFormat.grouped(absent)) \(absent == 1 ? "was" : "were") due for deletion)"
            : "\(MessageFormat.count(absent, "record is", plural: "records are")) missing at the origin"
        let names = (others + [resource.name]).joined(separator: " ")
        let options = "\(engine.shardOption)\(asksAll ? "--full " : "")--accept-deletes"
        report.warn(
            "\(are). \(resource.deletions.excess), so nothing was deleted. Missing: \(shown)\(keys.count > 5 ? ", …" : ".") "
                + "To delete them: siding sync \(names) \(options)")
    }
}
