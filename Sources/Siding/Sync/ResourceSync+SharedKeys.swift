internal import SidingChain

extension ResourceSync {
    /// Tells of records that were not saved, because they would have overwritten those of other parents.
    func warnOfSharedKeys(_ report: inout SyncReport) async throws(StoreError) {
        guard report.result.counters.quarantined > 0 else { return }
        let run = run
        let refused = try await engine.store.read(resource.name) { table, snapshot in
            try QuarantineTable.refused(ContractBreach.Code.sharedKey.rawValue, of: table.resource, in: run, snapshot)
        }
        guard let refused, refused.count > 0 else { return }
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
}
