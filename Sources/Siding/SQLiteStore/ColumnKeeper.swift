internal import SidingJSON
internal import SidingSQLite

/// Keeps a resource's view in step with the members of its records. Where columns are declared the members are remembered
/// all the same, for the day on which they no longer are.
struct ColumnKeeper {
    let resource: Int64
    let name: String

    /// Adds a column for each member that no column shows yet, and makes the view anew where there was one.
    ///
    /// - Returns: the shapes that were looked at.
    func addColumns(
        of slices: [RecordSlice], in bytes: [UInt8], knownShapes: Set<UInt64>, _ transaction: borrowing Transaction
    ) throws -> Set<UInt64> {
        var newShapes: Set<UInt64> = []
        var members: [String] = []
        bytes.withUnsafeBytes { page in
            for slice in slices where !knownShapes.contains(slice.shape) {
                guard case .key = slice.outcome, newShapes.insert(slice.shape).inserted else { continue }
                members += Self.members(of: UnsafeRawBufferPointer(rebasing: page[slice.range]))
            }
        }
        guard !newShapes.isEmpty else { return [] }
        try show(members, transaction)
        return newShapes
    }

    /// Adds a column for each member of one record that no column shows yet.
    func addColumns(of record: JSONDocument, _ transaction: borrowing Transaction) throws {
        try show(record.bytes.withUnsafeBytes { Self.members(of: $0) }, transaction)
    }

    /// Member names that a view can reach: SQLite 3.40 compares names as they are written, so one that needs escapes is
    /// out of its reach.
    private static func members(of record: UnsafeRawBufferPointer) -> [String] {
        JSONMembers.topLevelMembers(of: record).compactMap { member in
            !member.escaped && ReachableName.isReachable(member.name) ? member.name : nil
        }
    }

    private func show(_ members: [String], _ transaction: borrowing Transaction) throws {
        let view = try ResourceView.load(named: name, transaction)
        var columns = view?.columns ?? []
        let before = columns.count
        // By bytes: Swift takes composed and decomposed letters for the same, JSON does not.
        var shown = Set(columns.map { Array($0.member.utf8) })
        for member in members where columns.count < RecordShape.mostColumns && shown.insert(Array(member.utf8)).inserted
        {
            let column = ResourceView.Column(member: member, name: Self.freeName(for: member, among: columns))
            try transaction.execute(
                "INSERT INTO siding_columns (resource, ordinal, member, name) VALUES (?1, ?2, ?3, ?4)", resource,
                columns.count, column.member, column.name)
            columns.append(column)
        }
        guard columns.count > before, view?.shape.columns.isEmpty ?? true else { return }
        let newView = ResourceView(
            resource: resource, name: name, columns: columns, isEdited: view?.isEdited ?? false,
            shape: view?.shape ?? RecordShape())
        try transaction.execute(newView.removal)
        try transaction.execute(newView.creation)
    }

    /// Column names compare without case in SQL; `Id` beside `id` becomes `Id_2`.
    private static func freeName(for member: String, among columns: [ResourceView.Column]) -> String {
        let taken = Set(columns.map { $0.name.lowercased() })
        guard taken.contains(member.lowercased()) || OwnColumn.isReserved(member) else { return member }
        var suffix = 2
        while taken.contains("\(member)_\(suffix)".lowercased()) { suffix += 1 }
        return "\(member)_\(suffix)"
    }
}
