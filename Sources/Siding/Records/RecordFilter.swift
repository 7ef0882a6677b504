public import SidingJSON

/// Which records are meant, told by members of their bodies; what a typed predicate becomes for a ``Store``.
///
/// A member is read as SQLite's `->>` reads it: true and false are 1 and 0, null and a missing member are nothing, arrays
/// and objects are their JSON text (https://sqlite.org/json1.html#jptr). Numbers come before texts.
public indirect enum RecordFilter: Sendable, Hashable {
    /// The member compared with a value.
    case compare(JSONPath, Comparison, RecordValue)
    /// The member is one of these values.
    case isOneOf(JSONPath, [RecordValue])
    /// The member's text compared with a pattern.
    case text(JSONPath, TextComparison, String)
    /// Every one holds; an empty list always does.
    case all([RecordFilter])
    /// At least one holds; an empty list never does.
    case any([RecordFilter])
    /// It does not hold, also where it compares with nothing.
    case not(RecordFilter)

    /// How a member is compared. Only the first two take nothing for a value that can be equal; the others do not hold
    /// where the member is null or missing.
    public enum Comparison: String, Sendable, Hashable, CaseIterable {
        case isEqual, isNotEqual, isLess, isLessOrEqual, isGreater, isGreaterOrEqual
    }

    /// How a member's text is looked at.
    public enum TextComparison: String, Sendable, Hashable, CaseIterable {
        /// The text stands in it, case for case.
        case contains
        /// It begins with the text, case for case.
        case hasPrefix
        /// SQL's LIKE: `%` any text, `_` any character, `\` before one that stands for itself; ASCII letters of either
        /// case are equal (https://sqlite.org/lang_expr.html#like).
        case isLike
    }
}

/// A value that a member is compared with.
public enum RecordValue: Sendable, Hashable {
    case null
    case integer(Int64)
    /// An integer outside of `Int64`, as its digits. Equality compares the digits; order compares what a `Double` keeps.
    case digits(String)
    case real(Double)
    case text(String)
}
