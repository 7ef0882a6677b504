internal import Siding
internal import SidingInspection

/// The parameters of a page's address.
struct PageQuery: Sendable {
    private let parameters: [(name: String, value: String)]

    init(_ parameters: [(name: String, value: String)]) {
        self.parameters = parameters
    }

    /// The first value of this name, which may be empty; nil if it is missing.
    func text(_ name: String) -> String? { parameters.first { $0.name == name }?.value }

    /// The first value of this name; nil if it is missing or empty, as in a form that was sent unfilled.
    subscript(name: String) -> String? {
        text(name).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// - Throws: ``NotFound`` for a number that no page can have.
    func number(_ name: String) throws -> Int64? {
        guard let text = self[name] else { return nil }
        guard let number = Int64(text) else { throw NotFound("'\(name)' is not a number") }
        return number
    }

    /// - Throws: ``NotFound`` for a value that the menu does not have.
    func choice<Value: RawRepresentable<String>>(_ name: String, of: Value.Type) throws -> Value? {
        guard let text = self[name] else { return nil }
        guard let value = Value(rawValue: text) else { throw NotFound("there is no such \(name)") }
        return value
    }
}
