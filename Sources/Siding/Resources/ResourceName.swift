internal import SidingJSON
internal import SidingChain
internal import SidingSQLite

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
                hint: "views differ by more than case; choose another name")
        }
    }
}
