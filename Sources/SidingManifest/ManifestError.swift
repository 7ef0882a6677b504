/// Why a configuration was refused.
public enum ManifestError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The file could not be read at all: missing, a directory, no permission, not text, too large.
    case unreadable(path: String, reason: String)
    /// Every fault that was found, in file order.
    case invalid([Fault])

    /// The faults with a place; none where the file could not be read.
    public var faults: [Fault] {
        if case .invalid(let faults) = self { faults } else { [] }
    }

    /// One line for each fault.
    public var description: String {
        switch self {
        case .unreadable(let path, let reason): "\(path): \(reason)"
        case .invalid(let faults): faults.map(\.description).joined(separator: "\n")
        }
    }
}
