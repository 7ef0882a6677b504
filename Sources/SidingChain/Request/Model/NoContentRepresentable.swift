/// A type with a value that stands for "the origin had nothing to say" (204, 205, 304).
///
/// Optionals are such: nil. Arrays are not, and must not be: no content is never an empty list.
public protocol NoContentRepresentable {
    static var noContent: Self { get }
}

extension Optional: NoContentRepresentable {
    public static var noContent: Wrapped? { nil }
}

/// The value of `type` for an answer without content.
///
/// - Throws: ``MappingError`` where the type has none.
func noContent<Value>(as type: Value.Type, status: Int? = nil) throws(MappingError) -> Value {
    if let representable = type as? any NoContentRepresentable.Type,
        let value = representable.noContent as? Value
    {
        return value
    }
    let answer = status.map { " (status \($0))" } ?? ""
    var error = MappingError("no content\(answer) where a \(Value.self) was expected")
    error.type = String(describing: type)
    throw error
}
