/// Why a file could not be turned into a configuration.
public enum ImportError: Error, Sendable, Hashable, CustomStringConvertible {
    /// There is no such file.
    case missing(path: String)
    /// The file is there and cannot be read: a directory, no permission, too large, not text.
    case unreadable(path: String, reason: String)
    /// It is no such source, or nothing of it could be taken over; one line for each reason, with its place.
    case refused([String])

    /// One line for each reason.
    public var description: String {
        switch self {
        case .missing(let path): "\(path): does not exist"
        case .unreadable(let path, let reason): "\(path): \(reason)"
        case .refused(let lines): lines.joined(separator: "\n")
        }
    }
}
