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
