// SPDX-License-Identifier: Apache-2.0
/// A change to a JSON document as a merge patch (RFC 7396): null removes a member, an object changes the member's object, and
/// any other value replaces it. Arrays are replaced as a whole.
///
/// Every document is a merge patch; one that is not an object replaces its target. Applying keeps all digits of numbers, the
/// order of members and every untouched byte.
package struct JSONMergePatch: Sendable, Hashable {
    /// The patch as it is sent, with the media type `application/merge-patch+json`.
    package let document: JSONDocument

    /// Every document is a patch, so none is refused.
    package init(_ document: JSONDocument) {
        self.document = document
    }

    /// The target after the change, by the algorithm of RFC 7396, section 2.
    ///
    /// Members of the target come first, in their order, followed by new ones in the order of the patch. If the patch is an
    /// object, a target that is not counts as an empty object, so pass `null` for a missing one. The result is nested no deeper
    /// than the deeper of both. Takes linear time.
    package func applied(to target: JSONDocument) -> JSONDocument {
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
        // An object that replaces another kind of value, or is new, is written without its nulls.
        if patch.isObject(change), object != nil || patch.nodes[change].holdsNullMember {
            writer.open(object)
            walk.enter()
        } else {
            writer.value(patch.text(of: change))
        }
    }
}

extension JSONMergePatch {
    /// One patch with the effect of `first` followed by `second`, for every target.
    ///
    /// The order of members may differ: a member that `first` removes and `second` sets again keeps its old place. Nulls of both
    /// patches are kept, since the target may have the members that they remove.
    ///
    /// Not every pair has such a patch. If `first` replaces or removes a value and `second` has an object there, the result
    /// must be that object alone; but an object in a patch keeps all other members of the target, and a merge patch cannot remove
    /// "all others". So `{"a":null}` followed by `{"a":{"b":1}}` is refused. Then keep both patches or, if the target is known,
    /// compute the ``difference(from:to:)`` to the final result.
    ///
    /// - Throws: ``MergePatchFault/replacedThenChanged(_:)`` with the first such member.
    package static func combine(
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

/// Why a change cannot be expressed as a merge patch (RFC 7396).
package enum MergePatchFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// A member becomes null, which in a merge patch removes it.
    case nullMember(JSONPath)
    /// The first of two patches replaces or removes a value in which the second has an object.
    case replacedThenChanged(JSONPath)

    /// The member concerned.
    package var path: JSONPath {
        switch self {
        case .nullMember(let path), .replacedThenChanged(let path): path
        }
    }

    /// The member, the problem and what to do instead.
    package var description: String {
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
