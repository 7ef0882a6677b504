// SPDX-License-Identifier: Apache-2.0
/// Why a file could not be converted to a config.
public enum ImportError: Error, Sendable, Hashable, CustomStringConvertible {
    /// There is no such file.
    case missing(path: String)
    /// The file cannot be read: a directory, no permission, too large, or not text.
    case unreadable(path: String, reason: String)
    /// It is not a source of that format, or nothing in it can be converted; one line per reason, with its position.
    case refused([String])

    /// One line per reason.
    public var description: String {
        switch self {
        case .missing(let path): "\(path): does not exist"
        case .unreadable(let path, let reason): "\(path): \(reason)"
        case .refused(let lines): lines.joined(separator: "\n")
        }
    }
}
