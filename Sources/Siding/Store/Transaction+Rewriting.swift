internal import SidingSQLite

extension Transaction {
    /// Rewrites stored JSON of a resource, a batch at a time, so that memory does not grow with the table.
    ///
    /// - Parameters:
    ///   - selection: reads the number and the bytes of the next rows in ascending order, for the resource `?1` behind row `?2`.
    ///   - update: stores the value `?2` in row `?1`.
    ///   - rewrite: nil keeps a row as it is.
    func rewrite(
        _ selection: SQL, of resource: any SQLiteBindable, update: SQL, by rewrite: ([UInt8]) throws -> SQLiteValue?
    ) throws {
        var write = try prepare(update)
        var last: Int64 = 0
        while true {
            let rows = try query(selection, resource, last) { (id: $0.int(0), bytes: $0.blob(1)) }
            guard let end = rows.last else { return }
            last = end.id
            for row in rows {
                guard let value = try rewrite(row.bytes) else { continue }
                try write.bind(1, row.id)
                try write.bind(2, value)
                try write.step()
            }
        }
    }
}
