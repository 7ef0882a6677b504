// SPDX-License-Identifier: Apache-2.0
extension JSONMergePatch {
    /// The smallest patch that turns `old` into `new`, except for the order of members.
    ///
    /// Values are compared by meaning, as in ``JSONDocument/isEquivalent(to:)``: replacing `1` by `1.0` is no change. Changed
    /// values are written with the bytes of `new`. Equal objects give `{}`. Do not send that: it changes no object, but it turns
    /// any other value into an empty object.
    ///
    /// - Throws: ``MergePatchFault/nullMember(_:)`` with the first member that is null in `new` but was not before: in a merge
    ///   patch null means "remove". Nulls inside arrays are ordinary values.
    package static func difference(
        from old: JSONDocument, to new: JSONDocument
    ) throws(MergePatchFault) -> JSONMergePatch {
        guard new.kind == .object else { return JSONMergePatch(new) }
        var difference = PatchDifference(old: JSONTape(old), new: JSONTape(new))
        return JSONMergePatch(JSONDocument(kind: .object, checked: try difference.written()))
    }
}

/// Writes the patch, member by member.
private struct PatchDifference {
    private let old: JSONTape
    private let new: JSONTape
    private let oldClasses: [Int]
    private let newClasses: [Int]
    private var walk: MemberWalk
    private var writer: ObjectWriter

    init(old: JSONTape, new: JSONTape) {
        self.old = old
        self.new = new
        var classes = ValueClasses()
        oldClasses = classes.numbers(of: old)
        newClasses = classes.numbers(of: new)
        walk = MemberWalk(old, new)
        writer = ObjectWriter(keeping: old)
    }

    mutating func written() throws(MergePatchFault) -> ArraySlice<UInt8> {
        _ = walk.next()
        try change(from: JSONTape.root, to: JSONTape.root)
        while let step = walk.next() {
            switch (step, walk[0], walk[1]) {
            case (.end, _, _): writer.close()
            case (.member, let before, let after?): try change(from: before, to: after)
            case (.member, let before, nil): remove(before)
            }
        }
        return writer.bytes[...]
    }

    private mutating func remove(_ before: Int?) {
        writer.name(nil, or: before, of: old)
        writer.value(JSONDocument.null.bytes)
    }

    private mutating func change(from before: Int?, to after: Int) throws(MergePatchFault) {
        if let before, new.isObject(after), old.isObject(before) {
            guard after == JSONTape.root || oldClasses[before] != newClasses[after] else { return }
            writer.name(nil, or: after, of: new)
            writer.open(nil)
            return walk.enter()
        }
        if let before, oldClasses[before] == newClasses[after] { return }
        if let names = namesToNull(from: after) {
            throw .nullMember(walk.path.appending(JSONPath(members: names)))
        }
        writer.name(nil, or: after, of: new)
        writer.value(new.text(of: after))
    }

    /// The path from a new value to the first null that a patch cannot set; nil if there is none, empty if the value itself is
    /// null.
    private func namesToNull(from value: Int) -> [String]? {
        var names: [String] = []
        var place = value
        while new.nodes[place].kind != .null {
            let inner =
                new.nodes[place].holdsNullMember
                ? new.children(of: place).first { new.nodes[$0].kind == .null || new.nodes[$0].holdsNullMember } : nil
            guard let inner else { return nil }
            names.append(new.name(of: inner).string)
            place = inner
        }
        return names
    }
}
