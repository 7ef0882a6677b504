/// A change to a JSON document, written as the document's own members with their new values (RFC 7396): null removes a
/// member, an object changes what stands there, and any other value takes its place. Arrays are replaced whole.
///
/// Every document is a merge patch; one that is no object replaces whatever it is applied to. No number loses a digit on the
/// way, members keep their order, and what a patch does not touch keeps every byte.
public struct JSONMergePatch: Sendable, Hashable {
    /// The patch as it travels, with the media type `application/merge-patch+json`.
    public let document: JSONDocument

    public init(_ document: JSONDocument) {
        self.document = document
    }

    /// The target as it is after the change, by the algorithm of RFC 7396, section 2.
    ///
    /// Members of the target come first, in their order; new ones follow in that of the patch. A target that is no object
    /// gives way to an empty one where the patch is an object; so for "nothing yet" `null` may stand. The result is nested
    /// no deeper than the deeper of both. Takes time in proportion to both.
    public func applied(to target: JSONDocument) -> JSONDocument {
        guard document.kind == .object else { return document }
        let old = JSONTape(target)
        let patch = JSONTape(document)
        var walk = MemberWalk(old, patch)
        var writer = ObjectWriter(keeping: old)
        while let step = walk.next() {
            switch step {
            case .member: Self.apply(patch, to: old, at: &walk, &writer)
            case .end: writer.close()
            }
        }
        return JSONDocument(kind: .object, checked: writer.bytes[...])
    }

    private static func apply(
        _ patch: JSONTape, to old: JSONTape, at walk: inout MemberWalk, _ writer: inout ObjectWriter
    ) {
        let kept = walk[0]
        guard let change = walk[1] else {
            writer.name(kept, or: nil, of: patch)
            if let kept { writer.value(old.text(of: kept)) }
            return
        }
        guard patch.nodes[change].kind != .null else { return }
        writer.name(kept, or: change, of: patch)
        let object = kept.flatMap { old.isObject($0) ? $0 : nil }
        // An object that takes the place of something else, or of nothing, is written without its nulls.
        if patch.isObject(change), object != nil || patch.nodes[change].holdsNullMember {
            writer.open(object)
            walk.enter()
        } else {
            writer.value(patch.text(of: change))
        }
    }
}

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

/// Why there is no merge patch that says what was asked for (RFC 7396).
public enum MergePatchFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// A member is to become null, which in a merge patch means that it is removed.
    case nullMember(JSONPath)
    /// The first of two patches replaces or removes a value and the second holds an object there.
    case replacedThenChanged(JSONPath)

    /// Where in the document the fault lies.
    public var path: JSONPath {
        switch self {
        case .nullMember(let path), .replacedThenChanged(let path): path
        }
    }

    /// Names the place, and what to do instead.
    public var description: String {
        let place = PlainText.oneLine(path.description, limit: 80)
        return switch self {
        case .nullMember:
            "\(place) becomes null, which a merge patch cannot say: null in it removes a member (RFC 7396, section 1); "
                + "send the whole document instead"
        case .replacedThenChanged:
            "at \(place) the first patch replaces or removes what the second changes, which one merge patch cannot say "
                + "for every document; send both, one after the other"
        }
    }
}
