internal import SidingJSON
internal import SidingSQLite

/// Notes in whose listing a resource's records were seen: the last one counts.
///
/// That is no change of a record: nothing else of its row is touched, and nothing at all where it is so already.
struct RecordScopes {
    let resource: Int64
    let scope: String

    /// - Parameter refused: the indexes of records that were not saved.
    func note(
        _ slices: [RecordSlice], except refused: Set<Int>, in page: UnsafeRawBufferPointer,
        _ transaction: borrowing Transaction
    ) throws {
        var update = try transaction.prepare(
            "UPDATE siding_records SET scope = ?1 WHERE resource = ?2 AND key = ?3 AND scope IS NOT ?1")
        try update.bind(1, scope)
        try update.bind(2, resource)
        for (index, slice) in slices.enumerated() where !refused.contains(index) {
            guard case .key(let key) = slice.outcome else { continue }
            try key.withBytes(in: page) { text in
                try update.bindTextBytes(3, text)
                try update.step()
            }
        }
    }
}
