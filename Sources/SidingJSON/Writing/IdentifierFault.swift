/// Why one identifier cannot be put in the place of another.
public enum IdentifierFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// It would match every empty string.
    case emptyTemporary
    /// The real identifier is neither a string nor a number.
    case notAnIdentifier(JSONKind)
    /// The real identifier is empty, `.` or `..`: in a path it would lead elsewhere (RFC 3986, section 5.2.4).
    case namesAnotherPath(String)

    public var description: String {
        switch self {
        case .emptyTemporary: "the temporary id is empty, so it cannot be told from other empty strings"
        case .notAnIdentifier(let kind): "the real id is \(kind); an id is a string or a number"
        case .namesAnotherPath(let text):
            "the real id is '\(text)', which in a URL's path would name another place; an id is neither empty nor made of "
                + "dots alone"
        }
    }
}
