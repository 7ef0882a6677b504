// SPDX-License-Identifier: Apache-2.0
internal import SidingSQLite

/// Finds the records of a page that would overwrite those of other parents, as their keys are equal.
///
/// A record may also have moved from the other parent to this one, or be in both listings. So only a record that differs from the
/// stored one is found, and only if the other parent still lists that: its listing of the same fan-out pass shows it, or the record
/// was refused for it before, and no complete listing of the other parent lacks it since. An operator who names the record decides
/// where no listing does: the other parent may never be listed completely.
struct OtherParents: ~Copyable {
    /// A stored record under an equal key.
    struct Holder {
        let row: Int64
        /// The key of its parent.
        let parent: String
    }

    /// The records that another parent's stored pages show.
    private struct Listed {
        var ids: Set<Int64> = []
        /// Those of them that its listing of the same pass shows.
        var idsOfPass: Set<Int64> = []
        /// Whether its last listing was complete, asked for all records, and all of them are known.
        var isWhole = false
        /// Whether the parent is no longer live.
        var isGone = false
    }

    private let table: RecordsTable
    private let parents: RecordsTable
    /// The key of the parent whose page is saved.
    private let scope: String
    private let isNamed: Bool
    private var find: Statement
    private var listed: [String: Listed] = [:]

    /// - Parameter table: with a layout.
    private init(
        _ table: RecordsTable, _ parents: RecordsTable, _ scope: String, isNamed: Bool, _ find: consuming Statement
    ) {
        self.table = table
        self.parents = parents
        self.scope = scope
        self.isNamed = isNamed
        self.find = find
    }

    /// Nil for a resource with a single listing.
    ///
    /// - Parameter isNamed: whether an operator named the record.
    static func load(
        of table: RecordsTable, beside scope: String, isNamed: Bool, _ transaction: borrowing Transaction
    ) throws -> OtherParents? {
        guard !scope.isEmpty, table.layout != nil,
            let parents = try RecordsTable.load(named: table.row.parent, transaction)
        else { return nil }
        var find = try transaction.prepare(
            """
            SELECT rowid, CAST(scope AS TEXT), CASE WHEN pending = 0 THEN body ELSE COALESCE((
                SELECT c.body FROM siding_server_copies c
                WHERE c.resource = ?3 AND c.key = CAST(r.key AS TEXT)), body) END
            FROM \(identifier: table.name) r
            WHERE key = ?1 AND deleted_at IS NULL AND scope IS NOT NULL AND CAST(scope AS TEXT) <> ?2
            """)
        try find.bind(2, scope)
        try find.bind(3, table.resource)
        return OtherParents(table, parents, scope, isNamed: isNamed, find)
    }

    /// The record of another parent that saving `body` under `key` would overwrite; nil if there is none.
    mutating func holder(
        of key: UnsafeRawBufferPointer, unlike body: UnsafeRawBufferPointer, _ transaction: borrowing Transaction
    ) throws -> Holder? {
        try table.bind(key: key, at: 1, of: &find)
        defer { find.reset() }
        guard try find.step(), !find.withBytes(2, { $0.isSame(as: body) }) else { return nil }
        let holder = Holder(row: find.int(0), parent: find.text(1))
        return try lists(holder, under: String(decoding: key, as: UTF8.self), transaction) ? holder : nil
    }

    private mutating func lists(
        _ holder: Holder, under key: String, _ transaction: borrowing Transaction
    ) throws -> Bool {
        let known = try listed[holder.parent] ?? load(holder.parent, transaction)
        listed[holder.parent] = known
        if known.isGone { return false }
        if known.idsOfPass.contains(holder.row) { return true }
        if isNamed { return known.isWhole && known.ids.contains(holder.row) }
        return try (!known.isWhole || known.ids.contains(holder.row))
            && QuarantineTable.has(key, of: table.resource, scope: scope, .sharedKey, transaction)
    }

    private func load(_ parent: String, _ transaction: borrowing Transaction) throws -> Listed {
        var listed = Listed()
        listed.isGone = try transaction.exists("SELECT 1 WHERE \(parents.isGone("?1"))", parent)
        listed.isWhole = try transaction.exists(
            """
            SELECT 1 FROM siding_listings l
            WHERE resource = ?1 AND scope = ?2 AND state = 'complete' AND cursor ->> 'from' IS NULL AND NOT EXISTS (
                SELECT 1 FROM siding_pages p WHERE p.resource = ?1 AND p.scope = ?2 AND p.members IS NULL)
            """, table.resource, parent)
        // Of an unchanged listing the rows of pages are those of the listing before, up to its checkpoint.
        try transaction.forEach(
            """
            SELECT p.members, COALESCE(l.pass = (SELECT pass FROM siding_listings WHERE resource = ?1 AND scope = ?3)
                AND (p.listing = l.listing OR l.is_unchanged
                    AND (l.state = 'complete' OR p.next_number <= l.next_page ->> 'number')), 0) AS is_of_pass
            FROM siding_pages p LEFT JOIN siding_listings l ON l.resource = p.resource AND l.scope = p.scope
            WHERE p.resource = ?1 AND p.scope = ?2 AND length(p.members) > 0
            """, table.resource, parent, scope
        ) { row in
            let ids = try row.rowIDs("members").ids
            listed.ids.formUnion(ids)
            if try row.isTrue("is_of_pass") { listed.idsOfPass.formUnion(ids) }
        }
        return listed
    }
}

extension ContractBreach {
    /// A record under the key of another parent's record.
    init(_ holder: OtherParents.Holder, key: String, scope: String) {
        self.init(
            .sharedKey, .quarantine,
            "key \(Self.shown(key)) under the parent \(Self.shown(scope)) is the key of another record under the parent "
                + Self.shown(holder.parent))
    }
}
