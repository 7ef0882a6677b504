/// Where in a configuration something stands, as editors and compilers count.
public struct Place: Sendable, Hashable, CustomStringConvertible {
    /// The path as it was given.
    public var file: String
    /// Counted from 1.
    public var line: Int
    /// In Unicode scalars, counted from 1.
    public var column: Int

    public init(file: String, line: Int, column: Int) {
        (self.file, self.line, self.column) = (file, line, column)
    }

    /// `siding.yaml:12:5`
    public var description: String { "\(file):\(line):\(column)" }
}

extension Place: Comparable {
    /// File order.
    public static func < (left: Place, right: Place) -> Bool {
        (left.file, left.line, left.column) < (right.file, right.line, right.column)
    }
}
