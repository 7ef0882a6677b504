internal import SidingJSON
internal import SidingSQLite

/// Keeps a resource's views in step with the members of its records. Where columns are declared the members are remembered
/// all the same, for the day on which they no longer are.
struct ColumnInference {
    let resource: Int64
    let name: String
    /// The run in which new members count as seen first; 0 for none.
    var run: RunID = 0
    var shape = RecordShape()

    /// Adds a column for each member that no column shows yet, and makes the view anew where there was one.
    ///
    /// - Returns: the shapes that were looked at.
    func addColumns(
        of slices: [RecordSlice], in bytes: [UInt8], knownShapes: Set<UInt64>, _ transaction: borrowing Transaction
    ) throws -> Set<UInt64> {
        var newShapes: Set<UInt64> = []
        var members: [JSONMember] = []
        var children = ChildMembers(shape.children)
        bytes.withUnsafeBytes { page in
            for slice in slices {
                guard case .key = slice.outcome else { continue }
                let record = UnsafeRawBufferPointer(rebasing: page[slice.range])
                // What is inside of an array is no part of a record's shape.
                children.look(at: record)
                if !knownShapes.contains(slice.shape), newShapes.insert(slice.shape).inserted {
                    members += JSONMembers.topLevelMembers(of: record)
                }
            }
        }
        if !newShapes.isEmpty { try show(members, transaction) }
        try children.show(in: self, transaction)
        return newShapes
    }

    /// Adds a column for each member of one record that no column shows yet.
    func addColumns(of record: JSONDocument, _ transaction: borrowing Transaction) throws {
        try record.bytes.withUnsafeBytes { record in
            let view = try show(JSONMembers.topLevelMembers(of: record), transaction)
            var children = ChildMembers(view?.shape.children ?? [])
            children.look(at: record)
            try children.show(in: self, transaction)
        }
    }

    @discardableResult
    private func show(_ members: [JSONMember], _ transaction: borrowing Transaction) throws -> ResourceView? {
        try noteFields(members, transaction)
        guard var view = try ResourceView.load(named: name, transaction) else { return nil }
        let new = NewColumns.of(
            members.filter(ReachableName.isReachable).map(\.name), beside: view.columns)
        for (offset, column) in new.enumerated() {
            try transaction.execute(
                "INSERT INTO siding_columns (resource, ordinal, member, name) VALUES (?1, ?2, ?3, ?4)", resource,
                view.columns.count + offset, column.member, column.name)
        }
        view.columns += new
        guard !new.isEmpty, view.shape.columns.isEmpty else { return view }
        try transaction.execute(view.removal)
        try transaction.execute(view.creation)
        return view
    }

    private func noteFields(_ members: [JSONMember], _ transaction: borrowing Transaction) throws {
        var fields = try FieldCatalogue.load(of: resource, transaction)
        for member in members { fields.note(member) }
        try fields.save(run: run, transaction)
    }
}

/// Which columns are to be added for members.
enum NewColumns {
    /// Those of `members` that `columns` do not show, as far as there is room.
    static func of(_ members: [String], beside columns: [ResourceView.Column]) -> [ResourceView.Column] {
        var all = columns
        // By bytes: Swift takes composed and decomposed letters for the same, JSON does not.
        var shown = Set(columns.map { Array($0.member.utf8) })
        // A longer name is no column's: it is read from the body.
        for member in members
        where member.utf8.count <= RecordColumn.longestName && all.count < RecordShape.mostColumns
            && shown.insert(Array(member.utf8)).inserted
        {
            all.append(ResourceView.Column(member: member, name: freeName(for: member, among: all)))
        }
        return Array(all.dropFirst(columns.count))
    }

    /// Column names compare without case in SQL; `Id` beside `id` becomes `Id_2`.
    private static func freeName(for member: String, among columns: [ResourceView.Column]) -> String {
        let wanted = member == ChildView.scalar ? "value" : member
        let taken = Set(columns.map { $0.name.lowercased() })
        guard taken.contains(wanted.lowercased()) || OwnColumn.isReserved(wanted) else { return wanted }
        var suffix = 2
        while taken.contains("\(wanted)_\(suffix)".lowercased()) { suffix += 1 }
        return "\(wanted)_\(suffix)"
    }
}

extension ReachableName {
    /// SQLite 3.40 compares names as they are written, so one that needs escapes is out of its reach.
    static func isReachable(_ member: JSONMember) -> Bool {
        !member.escaped && isReachable(member.name)
    }
}
