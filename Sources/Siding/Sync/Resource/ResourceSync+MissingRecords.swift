// SPDX-License-Identifier: Apache-2.0
internal import SidingChain

extension ResourceSync {
    /// Reports what a complete listing lacks: records that are kept, records that further listings may delete, and, at once, a
    /// listing that is empty where there were many records.
    ///
    /// - Parameters:
    ///   - walked: the listing, which asked for all records.
    ///   - unlisted: how many stored records the listing before it lacked.
    func reportMissing(
        _ report: inout SyncReport, of walked: ListingRun.Walked, before unlisted: Int
    ) async throws(StoreError) {
        guard report.result.outcome != .notModified, !options.isAdHoc else { return }
        let isEmpty = !walked.hasRecords && !report.isResumed
        let found = try await engine.store.missing(of: resource.name, countsLiving: isEmpty)
        let isBlocked = report.result.counters.deletionsBlocked > 0
        if isEmpty, !isBlocked, found.living > DeletionGuard.alwaysAllowed, found.living > unlisted {
            report.warn(
                "the origin's list is empty, but \(MessageFormat.count(found.living, "record")) are stored: nothing was "
                    + "deleted. If that is unexpected, look at its answer with curl")
        }
        // Where the config says how long records are kept, it expects that they are listed no more.
        if found.unlisted > 0, resource.keptRecords == nil {
            let were = MessageFormat.count(found.unlisted, "stored record was", plural: "stored records were")
            // A mark alone deletes records that are still listed.
            let missing =
                resource.deletions.mark == nil ? "no 'deletes:'" : "'deletes:' has no 'detect: complete_listing'"
            report.add(note: "\(were) not listed (\(missing))")
        }
        reportWaiting(found.waiting, &report)
        if walked.hasLostNext, walked.hasRecords, resource.deletions.byAbsence {
            report.add(
                note: "the first page led to a next one before, and no longer does: this listing deletes nothing")
        }
    }

    /// Reports the records that a further complete fan-out pass deletes.
    func reportMissingOfPass(_ report: inout SyncReport) async throws(StoreError) {
        reportWaiting(try await engine.store.missing(of: resource.name, countsLiving: false).waiting, &report)
    }

    private func reportWaiting(_ count: Int, _ report: inout SyncReport) {
        guard count > 0, report.result.counters.deletionsBlocked == 0, resource.deletions.recordPath == nil else {
            return
        }
        let are = MessageFormat.count(count, "record is", plural: "records are")
        report.add(
            note: "\(are) missing at the origin: deleted once further complete listings lack "
                + (count == 1 ? "it, too" : "them, too"))
    }
}
