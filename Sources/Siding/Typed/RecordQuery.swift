/// Records of a resource as values of its model: described first, read when asked.
///
/// ```swift
/// let open = try await siding.records(of: issues).where(\.state == "open" && \.comments > 3)
///     .sorted(by: \.createdAt, .descending).limit(20).array()
/// for try await issue in siding.records(of: issues) { … }
/// ```
/// It is a value: copies go their own ways, and the same query may be read many times. A read goes over the records in
/// portions: each is of one moment, and changes between two of them may be seen. In key order a record is never given
/// twice.
public struct RecordQuery<Model: Codable & Sendable>: Sendable {
    /// Records that are read in one go.
    static var portion: Int { 500 }

    let store: Store
    let resource: Resource<Model>
    var predicates: [RecordPredicate<Model>] = []
    var filters: [@Sendable (Model) -> Bool] = []
    var orders: [Order] = []
    var limit: Int?
    var offset = 0

    struct Order: Sendable {
        let keyPath: any PartialKeyPath<Model> & Sendable
        let direction: RecordDirection
    }

    init(_ resource: Resource<Model>, in store: Store) {
        self.resource = resource
        self.store = store
    }

    /// Only records for which the predicate holds; the database sees to it. Several are joined by and.
    public func `where`(_ predicate: RecordPredicate<Model>) -> Self {
        var query = self
        query.predicates.append(predicate)
        return query
    }

    /// Only records that `isIncluded` takes, each decoded to be looked at. Whatever the order of the calls, limit and
    /// offset count what is left.
    public func filter(_ isIncluded: @escaping @Sendable (Model) -> Bool) -> Self {
        var query = self
        query.filters.append(isIncluded)
        return query
    }

    /// In the order of a property, as its JSON compares: nothing, numbers, texts by their bytes. A second call orders what
    /// the first leaves equal; the key decides at last.
    public func sorted<Value>(
        by keyPath: any KeyPath<Model, Value> & Sendable, _ direction: RecordDirection = .ascending
    ) -> Self {
        var query = self
        query.orders.append(Order(keyPath: keyPath, direction: direction))
        return query
    }

    /// At most so many.
    public func limit(_ count: Int) -> Self {
        var query = self
        query.limit = count
        return query
    }

    /// Without the first so many.
    public func offset(_ count: Int) -> Self {
        var query = self
        query.offset = count
        return query
    }
}

/// Which way an order goes.
public enum RecordDirection: Sendable, Hashable {
    case ascending, descending
}

extension RecordQuery {
    /// The query as the store takes it; what is to be filtered in Swift has its bounds there too.
    func selection() throws(RecordError) -> RecordSelection {
        var selection = RecordSelection(of: resource.name)
        var parts: [RecordFilter] = []
        for predicate in predicates { parts.append(try predicate.resolve(resource)) }
        if !parts.isEmpty { selection.filter = .all(parts) }
        for order in orders {
            do throws(MemberError) {
                let path = try resource.members.path(of: order.keyPath)
                selection.order.append(RecordOrder(path, isDescending: order.direction == .descending))
            } catch { throw .member(error) }
        }
        guard filters.isEmpty else { return selection }
        selection.limit = limit
        selection.offset = offset
        return selection
    }
}
