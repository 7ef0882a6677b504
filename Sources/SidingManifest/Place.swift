// SPDX-License-Identifier: Apache-2.0
/// A position in a config, counted like editors and compilers do.
public struct Place: Sendable, Hashable, CustomStringConvertible {
    /// The path as given.
    public var file: String
    /// Counted from 1.
    public var line: Int
    /// In Unicode scalars, counted from 1.
    public var column: Int

    /// A position; line and column count from 1.
    package init(file: String, line: Int, column: Int) {
        (self.file, self.line, self.column) = (file, line, column)
    }

    /// Such as `siding.yaml:12:5`.
    public var description: String { "\(file):\(line):\(column)" }
}

extension Place: Comparable {
    /// Orders positions as in the file.
    public static func < (left: Place, right: Place) -> Bool {
        (left.file, left.line, left.column) < (right.file, right.line, right.column)
    }
}
