/// Why a JSON path could not be read, and at which byte of it.
public struct JSONPathError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The path as it was given.
    public let path: String
    /// Zero-based, in UTF-8 bytes of the path.
    public let offset: Int
    /// What is wrong there and what to write instead.
    public let problem: String

    public var description: String {
        "\"\(PlainText.oneLine(path, limit: 80))\" is not a JSON path: \(problem) (at byte \(offset))"
    }
}
