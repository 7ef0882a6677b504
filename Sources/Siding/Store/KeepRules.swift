// SPDX-License-Identifier: Apache-2.0
/// How long a store keeps runs, completed queue entries and deleted records. Pruning applies the rules at the end of each run, for
/// deleted records once in an hour, and about once an hour in a process that only sends writes.
///
/// ```swift
/// var store = try await Store.open(at: "tracker.db")
/// store.keep.deleted = .seconds(7 * 86_400)
/// ```
/// An age of less than an hour counts as an hour: pages that are under way may still show a deleted record.
///
/// Other data have bounds of their own: 100 events per entry, provenance in proportion to the records. Earlier versions of records
/// have the rule of their resource, and quarantined records wait for an operator.
public struct KeepRules: Sendable, Hashable {
    /// Ended runs, with their counters and the lists by which their deletions are undone. The newest 1,000 are kept whatever
    /// their age.
    public var runs: Duration
    /// Completed queue entries.
    public var done: Duration
    /// Deleted records, which are kept as tombstones.
    public var deleted: Duration

    /// The least age.
    package static let least = Duration.seconds(3_600)
    /// The most entries, and the most records of a resource, that one transaction deletes because of their age.
    static let portion = 500

    /// 30 days for runs and completed entries, 90 days for deleted records.
    public init(
        runs: Duration = .seconds(30 * 86_400), done: Duration = .seconds(30 * 86_400),
        deleted: Duration = .seconds(90 * 86_400)
    ) {
        (self.runs, self.done, self.deleted) = (runs, done, deleted)
    }
}
