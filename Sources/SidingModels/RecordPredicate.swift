// SPDX-License-Identifier: Apache-2.0
internal import Siding
internal import SidingJSON

/// A condition on records that the database evaluates: `\.state == "open" && \.comments > 3`.
///
/// Values are compared as they are written in the JSON, so dates compare as text. That is their chronological order if the
/// origin writes all of them in one format and time zone. For other conditions use ``RecordQuery/filter(_:)``.
public struct RecordPredicate<Model: Codable & Sendable>: Sendable {
    let resolve: @Sendable (Resource<Model>) throws(RecordError) -> RecordFilter

    init(_ resolve: @escaping @Sendable (Resource<Model>) throws(RecordError) -> RecordFilter) {
        self.resolve = resolve
    }

    /// A condition on members that the model does not have.
    init(_ filter: RecordFilter) {
        self.init { _ throws(RecordError) in filter }
    }

    /// Matches every record.
    public static var everything: Self { Self(.all([])) }

    /// A condition on a property, whose JSON path is looked up when the query runs.
    static func member(
        _ keyPath: any PartialKeyPath<Model> & Sendable,
        _ make: @escaping @Sendable (JSONPath, RecordCoding) throws(RecordError) -> RecordFilter
    ) -> Self {
        Self { resource throws(RecordError) in
            let path: JSONPath
            do throws(MemberError) { path = try resource.members.path(of: keyPath) } catch { throw .member(error) }
            return try make(path, resource.coding)
        }
    }

    static func compare<Value: Encodable & Sendable>(
        _ keyPath: any PartialKeyPath<Model> & Sendable, _ comparison: RecordFilter.Comparison, _ value: Value
    ) -> Self {
        member(keyPath) { path, coding throws(RecordError) in
            .compare(path, comparison, try coding.value(of: value))
        }
    }
}

extension RecordPredicate {
    /// The property has one of these values.
    public static func isOneOf<Value: Encodable & Sendable>(
        _ keyPath: any KeyPath<Model, Value> & Sendable, _ values: [Value]
    ) -> Self {
        member(keyPath) { path, coding throws(RecordError) in
            var list: [RecordValue] = []
            for value in values { list.append(try coding.value(of: value)) }
            return .isOneOf(path, list)
        }
    }

    /// The property contains the text; case-sensitive.
    public static func contains(_ keyPath: any KeyPath<Model, String> & Sendable, _ text: String) -> Self {
        self.text(keyPath, .contains, text)
    }

    /// The property contains the text; case-sensitive.
    public static func contains(_ keyPath: any KeyPath<Model, String?> & Sendable, _ text: String) -> Self {
        self.text(keyPath, .contains, text)
    }

    /// The property begins with the text; case-sensitive.
    public static func hasPrefix(_ keyPath: any KeyPath<Model, String> & Sendable, _ text: String) -> Self {
        self.text(keyPath, .hasPrefix, text)
    }

    /// The property begins with the text; case-sensitive.
    public static func hasPrefix(_ keyPath: any KeyPath<Model, String?> & Sendable, _ text: String) -> Self {
        self.text(keyPath, .hasPrefix, text)
    }

    /// SQL's LIKE: `%` matches any text, `_` any character, and `\` escapes the next character. ASCII letters match in either
    /// case.
    public static func like(_ keyPath: any KeyPath<Model, String> & Sendable, _ pattern: String) -> Self {
        self.text(keyPath, .isLike, pattern)
    }

    /// SQL's LIKE: `%` matches any text, `_` any character, and `\` escapes the next character. ASCII letters match in either
    /// case.
    public static func like(_ keyPath: any KeyPath<Model, String?> & Sendable, _ pattern: String) -> Self {
        self.text(keyPath, .isLike, pattern)
    }

    /// The property is null or missing.
    public static func isNull<Value>(_ keyPath: any KeyPath<Model, Value?> & Sendable) -> Self {
        member(keyPath) { path, _ throws(RecordError) in .compare(path, .isEqual, .null) }
    }

    /// The property is present and not null.
    public static func isNotNull<Value>(_ keyPath: any KeyPath<Model, Value?> & Sendable) -> Self {
        member(keyPath) { path, _ throws(RecordError) in .compare(path, .isNotEqual, .null) }
    }

    private static func text(
        _ keyPath: any PartialKeyPath<Model> & Sendable, _ comparison: RecordFilter.TextComparison, _ text: String
    ) -> Self {
        member(keyPath) { path, _ throws(RecordError) in .text(path, comparison, text) }
    }
}

/// Equal; nil equals a null or missing member.
public func == <Model, Value: Encodable & Equatable & Sendable>(
    keyPath: any KeyPath<Model, Value> & Sendable, value: Value
) -> RecordPredicate<Model> {
    .compare(keyPath, .isEqual, value)
}

/// Not equal; also matches a null or missing member if the value is not nil.
public func != <Model, Value: Encodable & Equatable & Sendable>(
    keyPath: any KeyPath<Model, Value> & Sendable, value: Value
) -> RecordPredicate<Model> {
    .compare(keyPath, .isNotEqual, value)
}

/// Less than `value`. Texts, and dates as stored texts, are compared by their bytes
/// (https://sqlite.org/datatype3.html#sort_order).
public func < <Model, Value: Encodable & Comparable & Sendable>(
    keyPath: any KeyPath<Model, Value> & Sendable, value: Value
) -> RecordPredicate<Model> {
    .compare(keyPath, .isLess, value)
}

/// At most `value`. Texts are compared by their bytes.
public func <= <Model, Value: Encodable & Comparable & Sendable>(
    keyPath: any KeyPath<Model, Value> & Sendable, value: Value
) -> RecordPredicate<Model> {
    .compare(keyPath, .isLessOrEqual, value)
}

/// Greater than `value`. Texts are compared by their bytes.
public func > <Model, Value: Encodable & Comparable & Sendable>(
    keyPath: any KeyPath<Model, Value> & Sendable, value: Value
) -> RecordPredicate<Model> {
    .compare(keyPath, .isGreater, value)
}

/// At least `value`. Texts are compared by their bytes.
public func >= <Model, Value: Encodable & Comparable & Sendable>(
    keyPath: any KeyPath<Model, Value> & Sendable, value: Value
) -> RecordPredicate<Model> {
    .compare(keyPath, .isGreaterOrEqual, value)
}

/// Less than `value`. A null or missing member does not match. Texts are compared by their bytes.
public func < <Model, Value: Encodable & Comparable & Sendable>(
    keyPath: any KeyPath<Model, Value?> & Sendable, value: Value
) -> RecordPredicate<Model> {
    .compare(keyPath, .isLess, value)
}

/// At most `value`. A null or missing member does not match. Texts are compared by their bytes.
public func <= <Model, Value: Encodable & Comparable & Sendable>(
    keyPath: any KeyPath<Model, Value?> & Sendable, value: Value
) -> RecordPredicate<Model> {
    .compare(keyPath, .isLessOrEqual, value)
}

/// Greater than `value`. A null or missing member does not match. Texts are compared by their bytes.
public func > <Model, Value: Encodable & Comparable & Sendable>(
    keyPath: any KeyPath<Model, Value?> & Sendable, value: Value
) -> RecordPredicate<Model> {
    .compare(keyPath, .isGreater, value)
}

/// At least `value`. A null or missing member does not match. Texts are compared by their bytes.
public func >= <Model, Value: Encodable & Comparable & Sendable>(
    keyPath: any KeyPath<Model, Value?> & Sendable, value: Value
) -> RecordPredicate<Model> {
    .compare(keyPath, .isGreaterOrEqual, value)
}

extension RecordPredicate {
    /// Both match.
    public static func && (one: Self, other: Self) -> Self {
        Self { resource throws(RecordError) in .all([try one.resolve(resource), try other.resolve(resource)].flatAll) }
    }

    /// At least one matches.
    public static func || (one: Self, other: Self) -> Self {
        Self { resource throws(RecordError) in .any([try one.resolve(resource), try other.resolve(resource)].flatAny) }
    }

    /// Does not match.
    public static prefix func ! (predicate: Self) -> Self {
        Self { resource throws(RecordError) in .not(try predicate.resolve(resource)) }
    }
}

/// Flattens chains of `&&` or `||` into one list, however the parser nests them.
extension [RecordFilter] {
    fileprivate var flatAll: Self {
        flatMap { if case .all(let parts) = $0 { parts } else { [$0] } }
    }

    fileprivate var flatAny: Self {
        flatMap { if case .any(let parts) = $0 { parts } else { [$0] } }
    }
}
