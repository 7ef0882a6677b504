internal import SidingSQLite

extension Store {
    /// The live records that have the mark; nil if there are none.
    func marked(by mark: DeletionMark, of resource: String) async throws(StoreError) -> MarkedRecords? {
        try await read { snapshot in
            var marked = MarkedRecords(mark: mark)
            guard let id = try Self.resourceRow(resource, snapshot)?.id else { return nil }
            try RecordsTable.load(id, snapshot).forEachBody(snapshot) { body in
                marked.stored += 1
                if mark.marks(body) { marked.count += 1 }
            }
            return marked.count > 0 ? marked : nil
        }
    }
}
