// SPDX-License-Identifier: Apache-2.0
internal import SidingChain

extension ResourceSync {
    /// Tells of records that were not saved, because they would have overwritten those of other parents.
    func warnOfSharedKeys(_ report: inout SyncReport) async throws(StoreError) {
        let rule = ContractBreach.Code.sharedKey.rawValue
        guard let refused = try await refusedRecords(by: rule, report) else { return }
        let were = MessageFormat.count(refused.count, "record was", plural: "records were")
        let more = refused.count > refused.reasons.count ? "; …" : ""
        report.warn(
            "\(were) not saved: \(refused.reasons.joined(separator: "; "))\(more). If these are different records, declare a "
                + "key of two members, one of which names the parent, such as 'key: [order, line]' (no such member: one "
                + "resource per parent, with its path written out). If they are the same record, 'drop' the members that differ. "
                + "If one has moved from the other parent, 'siding sync \(resource.name) --full' lists both in full; where the "
                + "other parent is never listed completely, 'siding quarantine retry NUMBER' saves it"
        )
    }

    /// Says how records come to be saved whose key is missing, or of another type than those of the stored ones.
    func warnOfUnusableKeys(_ report: inout SyncReport) async throws(StoreError) {
        for rule in QuarantinedRecord.keyRules {
            guard let refused = try await refusedRecords(by: rule, report),
                let remedy = QuarantinedRecord.remedy(of: rule, in: resource.name)
            else { continue }
            let records = MessageFormat.count(refused.count, "record was", plural: "records were")
            report.warn("\(records) not saved (\(rule.replacing("_", with: " "))): \(remedy)")
        }
    }

    /// How many records this run refused by a rule, and why the first three; nil for none.
    private func refusedRecords(
        by rule: String, _ report: SyncReport
    ) async throws(StoreError) -> (count: Int, reasons: [String])? {
        guard report.result.counters.quarantined > 0 else { return nil }
        let run = run
        let refused = try await engine.store.read(resource.name) { table, snapshot in
            try QuarantineTable.refused(rule, of: table.resource, in: run, snapshot)
        }
        return refused.flatMap { $0.count > 0 ? $0 : nil }
    }
}
