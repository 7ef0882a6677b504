// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingJSON
internal import SidingSQLite

/// Registers a resource: its row and its view.
enum ResourceRegistration {
    /// - Throws: ``StoreError/Kind/invalidName`` for a name that no view can have.
    static func insert(
        _ name: String, source: String, _ definition: ResourceDefinition, _ transaction: borrowing Transaction
    ) throws -> ResourceRow {
        try ResourceName.check(name, transaction)
        let row = try ResourcesTable.insert(name, source: source, definition, transaction)
        // A resource without records can be queried too.
        try ResourceView.remake(name, transaction)
        return row
    }
}

/// Checks resource names, as each becomes a view beside our own tables.
enum ResourceName {
    /// - Throws: ``StoreError/Kind/invalidName`` for a reserved name, or one that differs from another view only by case.
    static func check(_ name: String, _ transaction: borrowing Transaction) throws {
        let lower = name.lowercased()
        guard !name.isEmpty, !lower.hasPrefix("siding_"), !lower.hasPrefix("sqlite_") else {
            throw StoreError(
                .invalidName, "a resource cannot be called '\(PlainText.oneLine(name, limit: 100))'",
                hint: "names that begin with siding_ or sqlite_ are taken")
        }
        let twin = try ResourceView.all(transaction).flatMap(\.viewNames).first { $0.lowercased() == lower }
        if let twin {
            throw StoreError(
                .invalidName, "a resource cannot be called '\(PlainText.oneLine(name, limit: 100))' beside '\(twin)'",
                hint: "SQLite ignores upper and lower case in names; choose another name")
        }
    }
}
