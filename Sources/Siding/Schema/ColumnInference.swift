// SPDX-License-Identifier: Apache-2.0
internal import SidingJSON
internal import SidingSQLite

/// Adds columns to a resource's views for new members of its records. Members are stored even if columns are declared, for the
/// time when they no longer are.
struct ColumnInference {
    let resource: Int64
    let name: String
    /// The run that new members are attributed to; 0 for none.
    var run: RunID = 0
    var schema = RecordSchema()

    /// Adds columns for members that have none, and recreates the view if there were any.
    ///
    /// - Returns: the new member sets.
    func addColumns(
        of slices: [RecordSlice], in bytes: [UInt8], knownMemberSets: Set<UInt64>, _ transaction: borrowing Transaction
    ) throws -> Set<UInt64> {
        var newMemberSets: Set<UInt64> = []
        var members: [JSONMember] = []
        var children = ChildMembers(schema.children)
        bytes.withUnsafeBytes { page in
            for slice in slices {
                guard case .key = slice.outcome else { continue }
                let record = UnsafeRawBufferPointer(rebasing: page[slice.range])
                // The contents of arrays are not part of a record's member set.
                children.add(from: record)
                let memberSet = numbered(slice.memberSet)
                if !knownMemberSets.contains(memberSet), newMemberSets.insert(memberSet).inserted {
                    members += JSONMembers.topLevelMembers(of: record)
                }
            }
        }
        if !newMemberSets.isEmpty { try addColumns(for: members, transaction) }
        try children.addColumns(to: self, transaction)
        return newMemberSets
    }

    /// The member set of this resource's number: another process may have forgotten the resource, and its columns, and a new
    /// resource of the name has another number.
    private func numbered(_ memberSet: UInt64) -> UInt64 {
        memberSet ^ UInt64(bitPattern: resource) &* 0x9E37_79B9_7F4A_7C15
    }

    /// Adds columns for the members of one record that have none.
    func addColumns(of record: JSONDocument, _ transaction: borrowing Transaction) throws {
        try record.bytes.withUnsafeBytes { record in
            let view = try addColumns(for: JSONMembers.topLevelMembers(of: record), transaction)
            var children = ChildMembers(view?.schema.children ?? [])
            children.add(from: record)
            try children.addColumns(to: self, transaction)
        }
    }

    @discardableResult
    private func addColumns(for members: [JSONMember], _ transaction: borrowing Transaction) throws -> ResourceView? {
        try saveFields(members, transaction)
        guard var view = try ResourceView.load(named: name, transaction) else { return nil }
        let new = NewColumns.of(members.filter(ReachableName.isReachable).map(\.name), beside: view.columns)
        try ColumnsTable.insert(new, behind: view.columns.count, of: resource, transaction)
        view.columns += new
        guard !new.isEmpty, view.schema.columns.isEmpty else { return view }
        try transaction.execute(view.removal)
        try transaction.execute(view.creation)
        return view
    }

    private func saveFields(_ members: [JSONMember], _ transaction: borrowing Transaction) throws {
        var fields = try FieldsTable.load(of: resource, transaction)
        for member in members { fields.add(member) }
        try fields.save(run: run, transaction)
    }
}

/// Chooses the columns to add for members.
enum NewColumns {
    /// New columns for those of `members` that `columns` lack, up to the maximum number.
    static func of(_ members: [String], beside columns: [ResourceView.Column]) -> [ResourceView.Column] {
        var all = columns
        // As bytes: Swift strings treat composed and decomposed letters as equal, JSON does not.
        var shown = Set(columns.map { Array($0.member.utf8) })
        // A longer name is no column's: it is read from the body.
        for member in members
        where member.utf8.count <= RecordColumn.longestName && all.count < RecordSchema.maxColumns
            && shown.insert(Array(member.utf8)).inserted
        {
            all.append(ResourceView.Column(member: member, name: freeName(for: member, among: all)))
        }
        return Array(all.dropFirst(columns.count))
    }

    /// A free column name; SQL compares names without case, so `Id` beside `id` becomes `Id_2`.
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
    /// Whether SQL can reach the member: SQLite 3.40 compares names as written, so names that need escapes are out of reach.
    static func isReachable(_ member: JSONMember) -> Bool {
        !member.escaped && isReachable(member.name)
    }
}

/// Collects the members of array elements in records, for child views without declared columns.
struct ChildMembers {
    private var children: [(child: RecordChildren, members: [String], seen: Set<[UInt8]>)]

    /// Only `children` without declared columns are collected.
    init(_ children: [RecordChildren]) {
        self.children = children.filter(\.columns.isEmpty).map { ($0, [], []) }
    }

    /// Whether no child view needs collecting.
    var isEmpty: Bool { children.isEmpty }

    /// Adds the members of the elements in a record's arrays.
    mutating func add(from record: UnsafeRawBufferPointer) {
        for index in children.indices {
            guard let array = JSONMembers.value(at: children[index].child.path, in: record), array.kind == .array,
                let elements = array.bytes(in: record)
            else { continue }
            for element in JSONMembers.elements(of: elements) {
                guard element.kind == .object, let object = element.bytes(in: elements) else {
                    add(ChildView.scalar, index)
                    continue
                }
                for member in JSONMembers.topLevelMembers(of: object) where ReachableName.isReachable(member) {
                    add(member.name, index)
                }
            }
        }
    }

    /// Adds a member, up to the maximum number of columns of a view.
    private mutating func add(_ member: String, _ index: Int) {
        guard children[index].members.count < RecordSchema.maxColumns,
            children[index].seen.insert(Array(member.utf8)).inserted
        else { return }
        children[index].members.append(member)
    }

    /// Adds the missing columns and recreates the changed views.
    func addColumns(to inference: ColumnInference, _ transaction: borrowing Transaction) throws {
        guard children.contains(where: { !$0.members.isEmpty }),
            let view = try ResourceView.load(named: inference.name, transaction)
        else { return }
        for (child, members, _) in children {
            let present = view.childColumns[child.name] ?? []
            let new = NewColumns.of(members, beside: present)
            guard !new.isEmpty else { continue }
            try ColumnsTable.insert(new, behind: present.count, of: inference.resource, child: child.name, transaction)
            let remade = ChildView(
                table: view.table, name: child.viewName(of: inference.name), children: child, columns: present + new)
            try transaction.execute(remade.removal)
            try transaction.execute(remade.creation)
        }
    }
}
