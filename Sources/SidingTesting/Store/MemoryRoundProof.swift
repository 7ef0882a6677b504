internal import Siding

extension MemoryResource {
    /// What the end of a round shows of records that are gone.
    ///
    /// - Parameter living: the keys of the living parents.
    mutating func settle(
        _ end: RoundEnd, living: Set<String>, isParentListed: Bool, now: Timestamp
    ) -> RoundFindings {
        var findings = RoundFindings()
        guard tracksMembers, let terms = end.deletions, terms.rule.byAbsence else { return findings }
        findings.unknown = unknownListings
        findings.unasked = living.count { key in
            guard let scope = scoped[key] else { return true }
            return scope.round != end.round || scope.state != .complete || scope.isOfChanges
        }
        findings.areParentsUnlisted = !isParentListed
        if findings.unknown > 0 { startOver() }
        let asksAnywhere = terms.rule.recordPath != nil && !terms.rule.isPathBound
        if findings.unknown + findings.unasked == 0, isParentListed {
            let verdict = judge(terms, isEnough: false, living: living, run: end.run, now: now)
            findings.counters = verdict.counters
            guard terms.rule.recordPath != nil else { return findings }
            let asked = asksAnywhere ? verdict.lacked : verdict.lackedTwice.filter { seenIn[$0] != nil }
            findings.doubtful = doubtful(asked.intersection(absences), askedBefore: end.askedBefore)
        } else if asksAnywhere && findings.unknown == 0 && !isRedefined {
            absences = search(living: living)
            forgetInquiries()
            findings.doubtful = doubtful(askedBefore: end.askedBefore)
        } else {
            let gone = search(living: living)
            departures["", default: []].formUnion(gone.subtracting(absences))
            absences.formIntersection(gone)
            forgetInquiries()
            findings.unproven = gone.count
        }
        return findings
    }
}
