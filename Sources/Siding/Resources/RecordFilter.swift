// SPDX-License-Identifier: Apache-2.0
package import SidingJSON

/// A filter by members of the body; typed predicates are translated to it for a ``Store``.
///
/// A member is read like SQLite's `->>` does: true and false are 1 and 0, null and a missing member are NULL, arrays and objects
/// are JSON text (https://sqlite.org/json1.html#jptr). Numbers sort before texts.
package indirect enum RecordFilter: Sendable, Hashable {
    /// The member compared with a value.
    case compare(JSONPath, Comparison, RecordValue)
    /// The member is one of these values.
    case isOneOf(JSONPath, [RecordValue])
    /// The member's text compared with a pattern.
    case text(JSONPath, TextComparison, String)
    /// All of them hold; true for an empty list.
    case all([RecordFilter])
    /// At least one holds; false for an empty list.
    case any([RecordFilter])
    /// The filter does not hold, or is NULL.
    case not(RecordFilter)

    /// Comparison operators. Only the first two treat NULL as a value; the others do not hold if the member is null or missing.
    package enum Comparison: String, Sendable, Hashable, CaseIterable {
        case isEqual, isNotEqual, isLess, isLessOrEqual, isGreater, isGreaterOrEqual
    }

    /// Text operators.
    package enum TextComparison: String, Sendable, Hashable, CaseIterable {
        /// The member contains the text, case-sensitive.
        case contains
        /// The member begins with the text, case-sensitive.
        case hasPrefix
        /// SQL's LIKE: `%` matches any text, `_` any character, `\` escapes one; ASCII letters match regardless of case
        /// (https://sqlite.org/lang_expr.html#like).
        case isLike
    }
}

/// A value to compare a member with.
package enum RecordValue: Sendable, Hashable {
    case null
    case integer(Int64)
    /// An integer beyond `Int64` as its digits. Equality compares digits, order compares as `Double`.
    case digits(String)
    case real(Double)
    case text(String)
}
