/// Reads the due parents in small portions, to keep few of their bodies in memory.
struct ParentFeed: Sendable {
    private var selection: ParentSelection
    /// The remaining keys of the query; nil without a query.
    private var keys: ArraySlice<String>?
    private var portion: ArraySlice<Parent> = []
    private var isAtEnd = false
    private let size: Int

    /// - Parameters:
    ///   - keys: in byte order; nil for all.
    ///   - size: the number of parents per portion.
    init(_ selection: ParentSelection, keys: [String]?, size: Int) {
        self.selection = selection
        self.keys = keys.map { $0[...] }
        self.size = size
    }

    /// The next parent, in the order of the keys; nil at the end.
    mutating func next(from store: Store) async throws(StoreError) -> Parent? {
        while portion.isEmpty, !isAtEnd { try await read(from: store) }
        return portion.popFirst()
    }

    private mutating func read(from store: Store) async throws(StoreError) {
        if let keys {
            selection.keys = Array(keys.prefix(size))
            self.keys = keys.dropFirst(size)
            isAtEnd = self.keys?.isEmpty ?? true
            portion = try await store.parents(selection)[...]
        } else {
            selection.limit = size
            portion = try await store.parents(selection)[...]
            selection.after = portion.last?.key ?? selection.after
            isAtEnd = portion.count < size
        }
    }
}

/// Orders resources for a sync, so that parents come before the resources that fan out over them.
package enum ParentOrder {
    /// `resources` in their order, but each parent before its fan-out resources. A cycle is left as it is.
    package static func parentsFirst(_ resources: [AnyResource]) -> [AnyResource] {
        let byName = Dictionary(resources.map { ($0.name, $0) }) { first, _ in first }
        var ordered: [AnyResource] = []
        var taken: Set<String> = []
        for resource in resources {
            var line: [AnyResource] = []
            var next: AnyResource? = resource
            while let one = next, taken.insert(one.name).inserted {
                line.append(one)
                next = one.forEach.flatMap { byName[$0.resource] }
            }
            ordered += line.reversed()
        }
        return ordered
    }
}
