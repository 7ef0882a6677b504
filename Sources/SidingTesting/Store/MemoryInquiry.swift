internal import Siding

/// What the origin said of a record that a listing lacked.
struct MemoryInquiry {
    var askedAt: Timestamp
    var isGone: Bool
}

extension MemoryResource {
    /// Forgets what was said of records that are not lacked any more.
    mutating func forgetInquiries(_ scope: String) {
        let absent = absences[scope] ?? []
        inquiries[scope] = inquiries[scope]?.filter { absent.contains($0.key) }
    }

    func doubtful(scope: String, askedBefore moment: Timestamp) -> DoubtfulRecords {
        let asked = inquiries[scope] ?? [:]
        let living = (absences[scope] ?? []).filter {
            records[$0].map { $0.deletedAt == nil && $0.pending == 0 } ?? false
        }
        let doubtful = living.filter { key in asked[key].map { $0.askedAt < moment } ?? true }
        return DoubtfulRecords(
            keys: doubtful.sorted { $0.lexicographicallyPrecedes($1) }.map { String(decoding: $0, as: UTF8.self) },
            areAnyGone: asked.values.contains(where: \.isGone))
    }

    mutating func settle(_ findings: AbsenceFindings, removed: Int, now: Timestamp) -> RunCounters {
        let scope = findings.scope
        for (key, isGone) in findings.isGone where absences[scope]?.contains(Array(key.utf8)) ?? false {
            inquiries[scope, default: [:]][Array(key.utf8)] = MemoryInquiry(askedAt: now, isGone: isGone)
        }
        var counters = RunCounters()
        guard let terms = findings.terms else { return counters }
        let said = (inquiries[scope] ?? [:]).filter(\.value.isGone).keys
        let gone = said.filter { records[$0].map { $0.deletedAt == nil && $0.pending == 0 } ?? false }
        let listed = pages.values.reduce(0) { $0 + $1.stored.recordCount }
        let limit = DeletionGuard(listed: listed, removed: scope.isEmpty ? 0 : removed, most: terms.rule.most)
        guard terms.isAccepted || !limit.withholds(gone.count) else {
            said.forEach { inquiries[scope]?[$0] = nil }
            counters.withheld = gone.count
            return counters
        }
        for key in gone { bury(key, run: findings.run, now: now) }
        if !gone.isEmpty { revision += 1 }
        said.forEach { absences[scope]?.remove($0) }
        forgetInquiries(scope)
        counters.deleted = gone.count
        return counters
    }
}
