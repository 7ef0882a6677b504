extension JSONMergePatch {
    /// One patch that does what `first` and then `second` do, to every target.
    ///
    /// Objects are equal whatever their order: a member that `first` removes and `second` sets again stands at its old
    /// place, not at the end. Nulls are kept on both sides, since the target may have what they remove.
    ///
    /// Not every pair has such a patch. Where `first` replaces or removes a value and `second` holds an object at the same
    /// place, the outcome is that object alone; but a patch that holds an object keeps whatever other members the target
    /// has there, and a merge patch cannot say "all others". So `{"a":null}` followed by
    /// `{"a":{"b":1}}` is refused. Then keep both, or, where the target is known, take the ``difference(from:to:)`` between
    /// it and what it becomes.
    ///
    /// - Throws: ``MergePatchFault/replacedThenChanged(_:)`` with the first such place.
    public static func combine(
        _ first: JSONMergePatch, _ second: JSONMergePatch
    ) throws(MergePatchFault) -> JSONMergePatch {
        guard second.document.kind == .object else { return second }
        let earlier = JSONTape(first.document)
        let later = JSONTape(second.document)
        var walk = MemberWalk(earlier, later)
        var writer = ObjectWriter(keeping: earlier)
        while let step = walk.next() {
            switch step {
            case .member: try combine(earlier, later, at: &walk, &writer)
            case .end: writer.close()
            }
        }
        return JSONMergePatch(JSONDocument(kind: .object, checked: writer.bytes[...]))
    }

    private static func combine(
        _ earlier: JSONTape, _ later: JSONTape, at walk: inout MemberWalk, _ writer: inout ObjectWriter
    ) throws(MergePatchFault) {
        writer.name(walk[0], or: walk[1], of: later)
        switch (walk[0], walk[1]) {
        case (let old?, let new?) where later.isObject(new):
            guard earlier.isObject(old) else { throw .replacedThenChanged(walk.path) }
            writer.open(old)
            walk.enter()
        case (_, let new?): writer.value(later.text(of: new))
        case (let old?, nil): writer.value(earlier.text(of: old))
        case (nil, nil): break
        }
    }
}
