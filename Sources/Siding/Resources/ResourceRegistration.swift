internal import SidingChain
internal import SidingSQLite

/// Registers a resource: its row and its view.
enum ResourceRegistration {
    /// - Returns: the resource's row id.
    /// - Throws: ``StoreError/Kind/invalidName`` for a name that no view can have.
    static func insert(
        _ name: String, source: String, _ definition: ResourceDefinition, now: Timestamp,
        _ transaction: borrowing Transaction
    ) throws -> Int64 {
        try ResourceName.check(name, transaction)
        try transaction.execute(
            "INSERT INTO siding_resources (name, source, definition, created_at) VALUES (?1, ?2, ?3, ?4)", name, source,
            definition.text, now.microseconds)
        let id = transaction.lastInsertedRowID
        // A resource without records can be queried too.
        try ResourceView.remake(name, transaction)
        return id
    }
}
