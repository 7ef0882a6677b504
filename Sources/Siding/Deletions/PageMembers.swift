// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingSQLite

/// The page membership, inside a transaction: which records a page shows (`siding_pages.members`).
///
/// It is kept for every page. A 304 shows the same records as before; any other write of a record uses it to find the page to
/// fetch in full (``PageValidators``); and ``DeletionReconciliation`` uses it to find missing records.
struct PageMembers {
    let resource: Int64
    /// The key of the parent; empty if the resource has a single listing.
    let scope: String
    let url: String
    /// The body of the page's request; empty for none.
    let sent: String

    /// The records that a page shows.
    struct Shown {
        /// The row ids of its records, including those that broke the contract if their key can be read.
        var ids: [Int64] = []
        /// Those of `ids` that were inserted or restored.
        var fresh: [Int64] = []
        /// Whether some of its records cannot be identified.
        var hasUnknown = false
    }

    /// Stores the page's current membership.
    ///
    /// - Parameter isStored: whether the page has a row; a page of an ad-hoc listing has none.
    func replace(with shown: Shown, isStored: Bool, _ transaction: borrowing Transaction) throws {
        let ids = RowIDs(shown.ids)
        let removed = try MissingTable.remove(shown: ids, of: resource, transaction)
        guard isStored else {
            if removed.count > 0 { try ResourcesTable.setPagesChanged(resource, transaction) }
            return
        }
        let now = shown.hasUnknown ? nil : ids
        let before = try PagesTable.members(of: self, transaction)
        guard before != now else { return }
        if let now {
            let moved = now.subtracting(before ?? RowIDs([])).subtracting(RowIDs(shown.fresh + removed.exempt))
            // The page shows a stored record that it did not show before.
            if !moved.isEmpty { try ListingsTable.setMoved(resource, scope: scope, transaction) }
        }
        try PagesTable.set(now, of: self, transaction)
        try ResourcesTable.setPagesChanged(resource, transaction)
    }

    /// The records that any page shows.
    static func all(of resource: Int64, _ database: borrowing some Queryable & ~Copyable) throws -> RowIDs {
        var ids: [Int64] = []
        try PagesTable.forEachMembers(of: resource, database) { ids += $1.ids }
        return RowIDs(ids)
    }
}
