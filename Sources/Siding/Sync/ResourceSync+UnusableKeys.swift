internal import SidingChain

extension ResourceSync {
    /// Says how records come to be saved whose key is missing, or of another type than those of the stored ones.
    func warnOfUnusableKeys(_ report: inout SyncReport) async throws(StoreError) {
        guard report.result.counters.quarantined > 0 else { return }
        let run = run
        for code in QuarantinedRecord.keyRules {
            let refused = try await engine.store.read(resource.name) { table, snapshot in
                try QuarantineTable.refused(code, of: table.resource, in: run, snapshot)
            }
            guard let count = refused?.count, count > 0,
                let remedy = QuarantinedRecord.remedy(of: code, in: resource.name)
            else { continue }
            let records = MessageFormat.count(count, "record was", plural: "records were")
            report.warn("\(records) not saved (\(code.replacing("_", with: " "))): \(remedy)")
        }
    }
}
