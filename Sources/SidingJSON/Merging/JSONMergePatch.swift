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
