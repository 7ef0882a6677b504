internal import SidingSQLite

extension Store {
    func marked(by mark: DeletionMark, of resource: String) async throws(StoreError) -> MarkedRecords? {
        try await read { snapshot in
            var marked = MarkedRecords(mark: mark)
            try snapshot.forEach(
                """
                SELECT body FROM siding_records
                WHERE resource = (SELECT id FROM siding_resources WHERE name = ?1) AND deleted_at IS NULL
                """, resource
            ) { row in
                marked.stored += 1
                if row.withBytes(0, { mark.marks($0) }) { marked.count += 1 }
            }
            return marked.count > 0 ? marked : nil
        }
    }
}
