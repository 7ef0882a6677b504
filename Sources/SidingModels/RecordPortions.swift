// SPDX-License-Identifier: Apache-2.0
internal import Siding

/// Reads the records of a selection in portions.
///
/// In key order each portion starts after the last key. In another order it lists all keys first and then reads their records,
/// as a position in a sort order is lost once its record changes.
struct RecordPortions: Sendable {
    private let store: Store
    private let size: Int
    private var selection: RecordSelection
    private var keys: [String]?
    private var isDone = false

    init(_ selection: RecordSelection, in store: Store, size: Int) {
        self.store = store
        self.size = max(size, 1)
        self.selection = selection
    }

    /// The next records; nil after the last.
    mutating func next() async throws(RecordError) -> [Record]? {
        guard !isDone else { return nil }
        let records = selection.order.isEmpty ? try await nextByKey() : try await nextByList()
        return records.isEmpty ? nil : records
    }

    private mutating func nextByKey() async throws(RecordError) -> [Record] {
        var portion = selection
        portion.limit = min(size, selection.limit ?? size)
        let records = try await select(portion)
        isDone = records.count < size
        selection.after = records.last?.key
        selection.offset = 0
        if let limit = selection.limit {
            selection.limit = limit - records.count
            isDone = isDone || limit <= records.count
        }
        return records
    }

    private mutating func nextByList() async throws(RecordError) -> [Record] {
        if keys == nil {
            if let limit = selection.limit, limit <= size {
                isDone = true
                return try await select(selection)
            }
            let (store, selection) = (store, selection)
            keys = try await RecordError.mapping { () throws(StoreError) in try await store.keys(selection) }
        }
        while let rest = keys, !rest.isEmpty {
            let lookup = RecordLookup(
                resource: selection.resource, keys: Array(rest.prefix(size)), filter: selection.filter)
            keys = Array(rest.dropFirst(size))
            let store = store
            let records = try await RecordError.mapping { () throws(StoreError) in try await store.records(lookup) }
            // All records of a portion may be deleted meanwhile; others follow.
            if !records.isEmpty { return records }
        }
        isDone = true
        return []
    }

    private func select(_ selection: RecordSelection) async throws(RecordError) -> [Record] {
        let store = store
        return try await RecordError.mapping { () throws(StoreError) in try await store.select(selection).records }
    }
}
