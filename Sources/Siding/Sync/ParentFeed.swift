/// Reads the parents that are due in small portions, so that few of their bodies are in memory at a time.
struct ParentFeed: Sendable {
    private var selection: ParentSelection
    /// What is left of the keys that a query gave; nil where there is no query.
    private var keys: ArraySlice<String>?
    private var portion: ArraySlice<Parent> = []
    private var isAtEnd = false
    private let size: Int

    /// - Parameters:
    ///   - keys: in the order of their bytes; nil for all.
    ///   - size: how many are read at once.
    init(_ selection: ParentSelection, keys: [String]?, size: Int) {
        self.selection = selection
        self.keys = keys.map { $0[...] }
        self.size = size
    }

    /// The next one, in the order of their keys; nil where there is none.
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
