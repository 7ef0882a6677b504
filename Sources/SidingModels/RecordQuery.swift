// SPDX-License-Identifier: Apache-2.0
internal import Siding

/// A query for records of a resource as values of its model. It reads nothing until asked.
///
/// ```swift
/// let open = try await siding.records(of: issues).where(\.state == "open" && \.comments > 3)
///     .sorted(by: \.createdAt, .descending).limit(20).array()
/// for try await issue in siding.records(of: issues) { … }
/// ```
/// A query is a value: copies are independent, and the same query can be read many times. It reads records in portions, each as
/// of one moment, so changes between two portions may be seen. In key order no record is returned twice.
///
/// Pending creations that do not decode as the model, and records that otherwise hold a temporary id which it cannot, are left
/// out until the origin has given the real id (`Siding.pendingCreations(of:)`). Any other record that does not decode ends
/// the reading with an error.
public struct RecordQuery<Model: Codable & Sendable>: Sendable {
    /// The number of records read at once.
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

    /// Only records that match the predicate, as evaluated by the database. Several predicates are combined with and.
    public func `where`(_ predicate: RecordPredicate<Model>) -> Self {
        var query = self
        query.predicates.append(predicate)
        return query
    }

    /// Only records that `isIncluded` accepts; each is decoded first. Limit and offset count the accepted records, whatever the
    /// order of the calls.
    public func filter(_ isIncluded: @escaping @Sendable (Model) -> Bool) -> Self {
        var query = self
        query.filters.append(isIncluded)
        return query
    }

    /// Sorts by a property, as its JSON compares: null or missing first, then numbers, then texts by their bytes. Further calls
    /// order records that are equal so far; the key comes last.
    public func sorted<Value>(
        by keyPath: any KeyPath<Model, Value> & Sendable, _ direction: RecordDirection = .ascending
    ) -> Self {
        var query = self
        query.orders.append(Order(keyPath: keyPath, direction: direction))
        return query
    }

    /// At most `count` records.
    public func limit(_ count: Int) -> Self {
        var query = self
        query.limit = count
        return query
    }

    /// Skips the first `count` records.
    public func offset(_ count: Int) -> Self {
        var query = self
        query.offset = count
        return query
    }
}

/// The direction of a sort order.
public enum RecordDirection: Sendable, Hashable {
    /// Null or missing first, then the lowest value.
    case ascending
    /// The highest value first, null or missing last.
    case descending
}

extension RecordQuery {
    /// The query for the store; limit and offset are left out if Swift filters must run first.
    ///
    /// Limit, offset and count concern the records that are read, so the store then leaves out those that are not.
    func selection(isCounted: Bool = false) async throws(RecordError) -> RecordSelection {
        var selection = RecordSelection(resource: resource.name)
        var parts: [RecordFilter] = []
        for predicate in predicates { parts.append(try predicate.resolve(resource)) }
        if !parts.isEmpty { selection.filter = .all(parts) }
        for order in orders {
            do throws(MemberError) {
                let path = try resource.members.path(of: order.keyPath)
                selection.order.append(RecordOrder(path: path, isDescending: order.direction == .descending))
            } catch { throw .member(error) }
        }
        guard filters.isEmpty else { return selection }
        selection.limit = limit
        selection.offset = offset
        if isCounted || limit != nil || offset > 0 { selection.excluded = try await resource.keysLeftOut(in: store) }
        return selection
    }
}
