internal import SidingJSON
internal import SidingSQLite

/// Notes in whose listing a resource's records were seen: the last one counts.
///
/// Views show it, so a record that is seen in another one has changed for those who read its columns, though its body has not:
/// the history keeps no version of that.
struct RecordScopes {
    let resource: Int64
    let scope: String
    /// The resource's revision once this transaction has committed.
    let revision: Int64

    /// - Parameter refused: the indexes of records that were not saved.
    func note(
        _ slices: [RecordSlice], except refused: Set<Int>, in page: UnsafeRawBufferPointer,
        _ transaction: borrowing Transaction
    ) throws {
        var update = try transaction.prepare(
            """
            UPDATE siding_records SET scope = ?1, revision = ?4 WHERE resource = ?2 AND key = ?3 AND scope IS NOT ?1
            RETURNING 1
            """)
        try update.bind(1, scope)
        try update.bind(2, resource)
        try update.bind(4, revision)
        var hasChanged = false
        for (index, slice) in slices.enumerated() where !refused.contains(index) {
            guard case .key(let key) = slice.outcome else { continue }
            try key.withBytes(in: page) { text in
                try update.bindTextBytes(3, text)
                if try update.step() { hasChanged = true }
                update.reset()
            }
        }
        if hasChanged { try Revisions.set(revision, of: resource, transaction) }
    }
}
