/// A place in the tree that an `Encodable` value writes itself into, piece by piece.
///
/// A value that asks for containers of two kinds at one place has no single form; that is noted here and thrown when
/// the tree is read, because asking for a container cannot throw.
final class QueryValueSlot {
    private enum Kind {
        case empty, scalar, list, object, muddled
    }

    private var kind = Kind.empty
    private var scalar = QueryValue.null
    private var items: [QueryValueSlot] = []
    private var members: [String: QueryValueSlot] = [:]

    /// How many items a list has so far.
    var count: Int { items.count }

    /// Makes this place one single value.
    func set(_ value: QueryValue) {
        kind = kind == .empty ? .scalar : .muddled
        scalar = value
    }

    /// Makes this place an object, if it is not one already.
    func openObject() {
        kind = kind == .empty || kind == .object ? .object : .muddled
    }

    /// Makes this place a list, if it is not one already.
    func openList() {
        kind = kind == .empty || kind == .list ? .list : .muddled
    }

    /// A new place behind the last item.
    func append() -> QueryValueSlot {
        let slot = QueryValueSlot()
        items.append(slot)
        return slot
    }

    /// A new place under `name`; an earlier one of that name is forgotten.
    func replace(_ name: String) -> QueryValueSlot {
        let slot = QueryValueSlot()
        members[name] = slot
        return slot
    }

    /// The place under `name`, which a nested container may be asked for more than once.
    func member(_ name: String) -> QueryValueSlot {
        members[name] ?? replace(name)
    }

    /// What was written; a value that wrote nothing is an empty object.
    func value(at path: [any CodingKey]) throws -> QueryValue {
        switch kind {
        case .empty: return .object([:])
        case .scalar: return scalar
        case .list:
            return .array(
                try items.enumerated().map { index, item in
                    try item.value(at: path + [CodingPathKey(intValue: index)])
                })
        case .object:
            var values: [String: QueryValue] = [:]
            for (name, slot) in members {
                values[name] = try slot.value(at: path + [CodingPathKey(stringValue: name)])
            }
            return .object(values)
        case .muddled:
            throw UnencodableValue(type: "value", path: path, why: "wrote itself in two kinds of containers at once")
        }
    }
}
