// SPDX-License-Identifier: Apache-2.0
/// Why a config was refused.
public enum ConfigError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The file cannot be read: missing, a directory, no permission, not text, or too large.
    case unreadable(path: String, reason: String)
    /// All faults, in file order.
    case invalid([Fault])

    /// The faults of an invalid config; empty if the file could not be read.
    public var faults: [Fault] {
        if case .invalid(let faults) = self { faults } else { [] }
    }

    /// One line per fault.
    public var description: String {
        switch self {
        case .unreadable(let path, let reason): "\(path): \(reason)"
        case .invalid(let faults): faults.map(\.description).joined(separator: "\n")
        }
    }
}
