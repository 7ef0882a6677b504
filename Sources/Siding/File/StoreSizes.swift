// SPDX-License-Identifier: Apache-2.0
internal import SidingSQLite
internal import SidingSynchronization

/// What fills a database file, in bytes.
package struct StoreSizes: Sendable, Hashable {
    /// A part of the file; the raw value is its name in `--json` output and in metrics.
    package enum Part: String, Sendable, Hashable, CaseIterable {
        /// The records of one resource, tombstones among them, with their indexes.
        case records
        /// The full-text index of one resource.
        case textIndex = "text_index"
        case history, provenance
        /// Entries with their requests, answers, edits and events.
        case queue
        /// Checkpoints, cursors, page validators and memberships.
        case listings
        case quarantine, runs
        /// Declarations, leases, source health, rate limits, and SQLite's own pages.
        case other
        /// Pages that hold nothing.
        case free
        /// The write-ahead log beside the file.
        case wal
    }

    /// The size of a part, for ``Part/records`` and ``Part/textIndex`` of one resource.
    package struct Size: Sendable, Hashable {
        package var part: Part
        package var resource: String?
        package var bytes: Int
    }

    /// The largest part first.
    package var sizes: [Size]

    /// The size up to which `status` and metrics examine a file: every page is read, which takes 25 ms for this size.
    package static let examinedBytes = 128 << 20
}

extension StoreSizes.Part {
    /// The tables of the parts, without the prefix `siding_`.
    private static let tables: [String: Self] = [
        "history": .history, "provenance": .provenance, "quarantine": .quarantine, "runs": .runs,
        "run_resources": .runs, "tombstones": .runs, "listings": .listings, "pages": .listings,
        "cursors": .listings, "passes": .listings, "missing": .listings, "outbox": .queue, "outbox_requests": .queue,
        "outbox_edits": .queue, "outbox_events": .queue, "outbox_dependencies": .queue, "idempotency_keys": .queue,
        "server_copies": .queue,
    ]

    /// The part that a table belongs to, and the name or number of its resource.
    static func of(table: String) -> (part: Self, resource: Substring?) {
        if let name = table.dropping("siding_records_") { return (.records, name) }
        // Names of FTS5's own tables: siding_text_3_data.
        if let rest = table.dropping("siding_text_") { return (.textIndex, rest.prefix(while: \.isNumber)) }
        return (table.dropping("siding_").flatMap { tables[String($0)] } ?? .other, nil)
    }
}

extension String {
    fileprivate func dropping(_ prefix: String) -> Substring? { hasPrefix(prefix) ? dropFirst(prefix.count) : nil }
}

extension Store {
    /// What fills the file; nil if this SQLite cannot tell. Reads every page.
    package func sizes() async throws(StoreError) -> StoreSizes? {
        let path = path
        return try await read { snapshot in
            guard let tables = try snapshot.tableSizes() else { return nil }
            let space = try snapshot.space()
            let names = Dictionary(uniqueKeysWithValues: try ResourcesTable.all(snapshot).map { ("\($0.id)", $0.name) })
            var bytes: [StoreSizes.Size: Int] = [:]
            for (table, size) in tables {
                let (part, resource) = StoreSizes.Part.of(table: table)
                let name = part == .textIndex ? resource.flatMap { names[String($0)] } : resource.map(String.init)
                bytes[StoreSizes.Size(part: part, resource: name, bytes: 0), default: 0] += size
            }
            // The rest are pages by which SQLite finds others.
            let rest = space.pages * space.pageSize - space.freeBytes - tables.values.reduce(0, +)
            bytes[StoreSizes.Size(part: .other, resource: nil, bytes: 0), default: 0] += max(rest, 0)
            bytes[StoreSizes.Size(part: .free, resource: nil, bytes: 0)] = space.freeBytes
            bytes[StoreSizes.Size(part: .wal, resource: nil, bytes: 0)] = FileSystem.size(path + "-wal")
            let sizes = bytes.map { StoreSizes.Size(part: $0.part, resource: $0.resource, bytes: $1) }
            return StoreSizes(
                sizes: sizes.sorted {
                    ($1.bytes, $0.part.rawValue, $0.resource ?? "") < ($0.bytes, $1.part.rawValue, $1.resource ?? "")
                })
        }
    }

    /// The same for a file of up to ``StoreSizes/examinedBytes``; nil for a larger one.
    package func sizesIfSmall(_ file: DatabaseDescription) async throws(StoreError) -> StoreSizes? {
        file.bytes > StoreSizes.examinedBytes ? nil : try await sizes()
    }
}
