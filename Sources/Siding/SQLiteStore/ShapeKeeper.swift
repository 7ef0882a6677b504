internal import SidingSQLite

/// Makes a resource's view and indexes what the config declares, in the transaction that it is given.
struct ShapeKeeper {
    let resource: Int64
    let name: String

    /// Changes what is declared; nothing is done where it is declared so already.
    ///
    /// - Throws: ``StoreError/Kind/invalidName`` for what no view can be like.
    func apply(_ shape: RecordShape, _ transaction: borrowing Transaction) throws {
        let stored = try transaction.first("SELECT shape FROM siding_resources WHERE id = ?1", resource) {
            $0.optionalText(0)
        }
        let text = try StoredShape.text(of: shape)
        guard text != stored ?? nil else { return }
        do { try shape.check() } catch {
            throw StoreError(.invalidName, "the resource '\(name)': \(error.message)", hint: error.hint)
        }
        try remake(transaction) {
            try $0.execute("UPDATE siding_resources SET shape = ?2 WHERE id = ?1", resource, text)
        }
    }

    /// Makes view and indexes anew, with what `change` does in between.
    private func remake(
        _ transaction: borrowing Transaction, after change: (borrowing Transaction) throws -> Void = { _ in }
    ) throws {
        for removal in try ResourceView.load(named: name, transaction)?.removals ?? [] {
            try transaction.execute(removal)
        }
        try change(transaction)
        try transaction.execute(
            "UPDATE siding_resources SET shape_made = sqlite_version() WHERE id = ?1", resource)
        for creation in try ResourceView.load(named: name, transaction)?.creations ?? [] {
            try transaction.execute(creation)
        }
    }

    // MARK: Another SQLite

    /// Whether views or indexes were made by a SQLite other than the one that is loaded.
    static func areOutdated(_ database: borrowing some Queryable & ~Copyable) throws -> Bool {
        try database.first(
            "SELECT 1 FROM siding_resources WHERE shape IS NOT NULL AND shape_made IS NOT sqlite_version() LIMIT 1"
        ) { _ in true } ?? false
    }

    /// An index holds what expressions gave when it was made. Where another version reads a value differently, SQLite would
    /// take the index for a damaged one.
    static func remakeOutdated(_ transaction: borrowing Transaction) throws {
        let outdated = try transaction.query(
            "SELECT id, name FROM siding_resources WHERE shape IS NOT NULL AND shape_made IS NOT sqlite_version()"
        ) { ShapeKeeper(resource: $0.int(0), name: $0.text(1)) }
        for keeper in outdated { try keeper.remake(transaction) }
    }
}
