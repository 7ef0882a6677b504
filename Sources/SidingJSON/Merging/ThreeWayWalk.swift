// SPDX-License-Identifier: Apache-2.0
/// Merges two documents with their base in one walk and records the rows that differ.
struct ThreeWayWalk {
    private(set) var rows: [ThreeWayDifference.Row] = []
    private let theirs: JSONTape
    private let mine: JSONTape
    private let base: JSONTape
    private let theirClasses: [Int]
    private let myClasses: [Int]
    private let baseClasses: [Int]
    private let preferred: ThreeWayDifference.Side
    private var walk: MemberWalk
    private var writer: ObjectWriter

    /// The nodes of the current member.
    private struct Member {
        let theirs: Int?
        let mine: Int?
        let base: Int?
    }

    init(
        base: JSONDocument?, mine: JSONDocument, theirs: JSONDocument, preferring preferred: ThreeWayDifference.Side
    ) {
        self.theirs = JSONTape(theirs)
        self.mine = JSONTape(mine)
        self.base = JSONTape(base ?? .null)
        self.preferred = preferred
        var classes = ValueClasses()
        theirClasses = classes.numbers(of: self.theirs)
        myClasses = classes.numbers(of: self.mine)
        baseClasses = classes.numbers(of: self.base)
        let root = JSONTape.root
        walk = MemberWalk([self.theirs, self.mine, self.base], roots: [root, root, base == nil ? nil : root])
        writer = ObjectWriter(keeping: self.theirs)
    }

    mutating func document() -> JSONDocument {
        while let step = walk.next() {
            switch step {
            case .member: merge(Member(theirs: walk[0], mine: walk[1], base: walk[2]))
            case .end: writer.close()
            }
        }
        let bytes = writer.bytes[...]
        return JSONDocument(kind: JSONKind(firstByte: bytes.first ?? 0), checked: bytes)
    }

    private mutating func merge(_ member: Member) {
        let theirClass = member.theirs.map { theirClasses[$0] }
        let myClass = member.mine.map { myClasses[$0] }
        let baseClass = member.base.map { baseClasses[$0] }
        if theirClass == baseClass, myClass == baseClass { return keep(.theirs, member) }
        if let their = member.theirs, isGoneInto(member, areAlike: theirClass == myClass) {
            writer.name(their, or: nil, of: theirs)
            writer.open(their)
            return walk.enter()
        }
        if theirClass == myClass { return note(.both, member, keeping: .theirs) }
        if myClass == baseClass { return note(.theirs, member, keeping: .theirs) }
        if theirClass == baseClass { return note(.mine, member, keeping: .mine) }
        note(.conflict, member, keeping: preferred)
    }

    /// Whether to enter the member: an object on both sides, and an object or nothing in the base. One added alike is one value.
    private func isGoneInto(_ member: Member, areAlike: Bool) -> Bool {
        guard let their = member.theirs, let my = member.mine, theirs.isObject(their), mine.isObject(my) else {
            return false
        }
        return member.base.map(base.isObject) ?? !areAlike
    }

    private mutating func note(
        _ change: ThreeWayDifference.Change, _ member: Member, keeping side: ThreeWayDifference.Side
    ) {
        rows.append(
            ThreeWayDifference.Row(
                path: walk.path, base: member.base.map(base.document), mine: member.mine.map(mine.document),
                theirs: member.theirs.map(theirs.document), change: change))
        keep(side, member)
    }

    /// Writes the member from one side; nothing if that side has none.
    private mutating func keep(_ side: ThreeWayDifference.Side, _ member: Member) {
        let text =
            switch side {
            case .theirs: member.theirs.map(theirs.text)
            case .mine: member.mine.map(mine.text)
            }
        guard let text else { return }
        writer.name(member.theirs, or: member.mine, of: mine)
        writer.value(text)
    }
}
