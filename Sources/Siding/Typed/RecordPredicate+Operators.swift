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

public func < <Model, Value: Encodable & Comparable & Sendable>(
    keyPath: any KeyPath<Model, Value> & Sendable, value: Value
) -> RecordPredicate<Model> {
    .compare(keyPath, .isLess, value)
}

public func <= <Model, Value: Encodable & Comparable & Sendable>(
    keyPath: any KeyPath<Model, Value> & Sendable, value: Value
) -> RecordPredicate<Model> {
    .compare(keyPath, .isLessOrEqual, value)
}

public func > <Model, Value: Encodable & Comparable & Sendable>(
    keyPath: any KeyPath<Model, Value> & Sendable, value: Value
) -> RecordPredicate<Model> {
    .compare(keyPath, .isGreater, value)
}

public func >= <Model, Value: Encodable & Comparable & Sendable>(
    keyPath: any KeyPath<Model, Value> & Sendable, value: Value
) -> RecordPredicate<Model> {
    .compare(keyPath, .isGreaterOrEqual, value)
}

/// Does not match a null or missing member; nor do the other order comparisons.
public func < <Model, Value: Encodable & Comparable & Sendable>(
    keyPath: any KeyPath<Model, Value?> & Sendable, value: Value
) -> RecordPredicate<Model> {
    .compare(keyPath, .isLess, value)
}

public func <= <Model, Value: Encodable & Comparable & Sendable>(
    keyPath: any KeyPath<Model, Value?> & Sendable, value: Value
) -> RecordPredicate<Model> {
    .compare(keyPath, .isLessOrEqual, value)
}

public func > <Model, Value: Encodable & Comparable & Sendable>(
    keyPath: any KeyPath<Model, Value?> & Sendable, value: Value
) -> RecordPredicate<Model> {
    .compare(keyPath, .isGreater, value)
}

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
