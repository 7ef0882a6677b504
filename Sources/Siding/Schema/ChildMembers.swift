internal import SidingJSON
internal import SidingSQLite

/// Collects the members of array elements in records, for child views without declared columns.
struct ChildMembers {
    private var children: [(child: RecordChildren, members: [String], seen: Set<[UInt8]>)]

    /// Only `children` without declared columns are collected.
    init(_ children: [RecordChildren]) {
        self.children = children.filter(\.columns.isEmpty).map { ($0, [], []) }
    }

    /// Whether no child view needs collecting.
    var isEmpty: Bool { children.isEmpty }

    mutating func look(at record: UnsafeRawBufferPointer) {
        for index in children.indices {
            guard let array = JSONMembers.value(at: children[index].child.path, in: record), array.kind == .array,
                let elements = array.bytes(in: record)
            else { continue }
            for element in JSONMembers.elements(of: elements) {
                guard element.kind == .object, let object = element.bytes(in: elements) else {
                    note(ChildView.scalar, index)
                    continue
                }
                for member in JSONMembers.topLevelMembers(of: object) where ReachableName.isReachable(member) {
                    note(member.name, index)
                }
            }
        }
    }

    /// Adds a member, up to the maximum number of columns of a view.
    private mutating func note(_ member: String, _ index: Int) {
        guard children[index].members.count < RecordSchema.mostColumns,
            children[index].seen.insert(Array(member.utf8)).inserted
        else { return }
        children[index].members.append(member)
    }

    /// Adds the missing columns and recreates the changed views.
    func show(in keeper: ColumnInference, _ transaction: borrowing Transaction) throws {
        guard children.contains(where: { !$0.members.isEmpty }),
            let view = try ResourceView.load(named: keeper.name, transaction)
        else { return }
        for (child, members, _) in children {
            let present = view.childColumns[child.name] ?? []
            let new = NewColumns.of(members, beside: present)
            guard !new.isEmpty else { continue }
            for (offset, column) in new.enumerated() {
                try transaction.execute(
                    """
                    INSERT INTO siding_child_columns (resource, child, ordinal, member, name) VALUES (?1, ?2, ?3, ?4, ?5)
                    """, keeper.resource, child.name, present.count + offset, column.member, column.name)
            }
            let remade = ChildView(
                table: view.table, name: child.viewName(of: keeper.name), children: child,
                columns: present + new)
            try transaction.execute(remade.removal)
            try transaction.execute(remade.creation)
        }
    }
}
