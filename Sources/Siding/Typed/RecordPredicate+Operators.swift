/// Equal, where nil is equal to a member that is null or missing.
public func == <Model, Value: Encodable & Equatable & Sendable>(
    keyPath: any KeyPath<Model, Value> & Sendable, value: Value
) -> RecordPredicate<Model> {
    .compare(keyPath, .isEqual, value)
}

/// Not equal; also where the member is null or missing and the value is not nil.
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

/// Does not hold where the member is null or missing; so with the other comparisons of order.
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
    /// Both hold.
    public static func && (one: Self, other: Self) -> Self {
        Self { resource throws(RecordError) in .all([try one.resolve(resource), try other.resolve(resource)].flatAll) }
    }

    /// At least one holds.
    public static func || (one: Self, other: Self) -> Self {
        Self { resource throws(RecordError) in .any([try one.resolve(resource), try other.resolve(resource)].flatAny) }
    }

    /// It does not hold.
    public static prefix func ! (predicate: Self) -> Self {
        Self { resource throws(RecordError) in .not(try predicate.resolve(resource)) }
    }
}

/// A long row of `&&` is one list, however the parser nests it.
extension [RecordFilter] {
    fileprivate var flatAll: Self {
        flatMap { if case .all(let parts) = $0 { parts } else { [$0] } }
    }

    fileprivate var flatAny: Self {
        flatMap { if case .any(let parts) = $0 { parts } else { [$0] } }
    }
}
