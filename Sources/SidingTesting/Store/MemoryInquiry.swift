internal import Siding

/// What the origin said of a record that a listing lacked.
struct MemoryInquiry {
    var askedAt: Timestamp
    var isGone: Bool
}

extension MemoryResource {
    /// Forgets what was said of records that are not lacked any more.
    mutating func forgetInquiries() {
        let absent = absences
        inquiries = inquiries.filter { absent.contains($0.key) }
    }

    /// - Parameter meant: of which records; nil for all that are lacked.
    func doubtful(_ meant: Set<[UInt8]>? = nil, askedBefore moment: Timestamp) -> DoubtfulRecords {
        let living = (meant ?? absences).filter {
            records[$0].map { $0.deletedAt == nil && $0.pending == 0 } ?? false
        }
        let keys = living.filter { key in inquiries[key].map { $0.isGone || $0.askedAt < moment } ?? true }
        var doubtful = DoubtfulRecords(
            keys: keys.sorted { $0.lexicographicallyPrecedes($1) }.map { String(decoding: $0, as: UTF8.self) })
        for key in keys { doubtful.parents[String(decoding: key, as: UTF8.self)] = seenIn[key] }
        return doubtful
    }

    mutating func settle(_ findings: AbsenceFindings, now: Timestamp) -> RunCounters {
        for (key, isGone) in findings.isGone where absences.contains(Array(key.utf8)) {
            inquiries[Array(key.utf8)] = MemoryInquiry(askedAt: now, isGone: isGone)
        }
        var counters = RunCounters()
        guard let terms = findings.terms else { return counters }
        let said = inquiries.filter { $0.value.isGone && $0.value.askedAt >= findings.since }.keys
        let gone = said.filter { records[$0].map { $0.deletedAt == nil && $0.pending == 0 } ?? false }
        guard terms.isAccepted || !deletionGuard(terms).withholds(gone.count) else {
            counters.withheld = gone.count
            return counters
        }
        for key in gone { bury(key, run: findings.run, now: now) }
        if !gone.isEmpty { revision += 1 }
        gone.forEach { absences.remove($0) }
        forgetInquiries()
        counters.deleted = gone.count
        return counters
    }
}
