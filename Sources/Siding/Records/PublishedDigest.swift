// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingSQLite

/// The newest change of a record, short enough to compare many with those of the hub.
package struct PublishedDigest: Sendable, Hashable {
    package var revision: Int64
    package var isLive: Bool
    /// The first 16 hexadecimal digits of the SHA-256 of its body.
    package var body: String
}

extension Store {
    /// The newest change of the records under these keys, in their order, nil for a key without one, and the resource at that
    /// time; nil if nothing of the resource is stored.
    package func digests(
        of keys: [String], in resource: String
    ) async throws(StoreError) -> (resource: PublishedResource, records: [PublishedDigest?])? {
        try await read { snapshot in
            guard let view = try ResourceView.load(named: resource, snapshot) else { return nil }
            let records = try keys.map { key in
                try view.table.find(key, snapshot).map { row in
                    PublishedDigest(
                        revision: row.revision, isLive: row.deletedAt == nil,
                        body: String(SHA256.hexadecimal(row.body).prefix(16)))
                }
            }
            return (PublishedResource(view), records)
        }
    }

    /// The next keys of living records without a change after `revision`, in their order; empty if there are none.
    package func keys(
        of resource: String, unchangedAfter revision: Int64, behind key: String?, limit: Int
    ) async throws(StoreError) -> [String] {
        try await read { snapshot in
            guard let table = try ResourceView.load(named: resource, snapshot)?.table else { return [] }
            return try snapshot.query(
                """
                SELECT key FROM \(table.rowsByKey) WHERE \(key == nil ? "?1 IS NULL" : "key > ?1") AND revision <= ?2
                    AND deleted_at IS NULL ORDER BY key LIMIT ?3
                """, key.map(table.key), revision, limit
            ) { $0.text(0) }
        }
    }
}
