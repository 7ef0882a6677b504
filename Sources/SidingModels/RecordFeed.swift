// SPDX-License-Identifier: Apache-2.0
public import Siding

extension Siding {
    /// The changes since a run ended, from any writer: for a program that looks from time to time, and does not run in between.
    ///
    /// ```swift
    /// let feed = try await siding.changes(of: issues, since: mirror.run)
    /// for try await difference in feed { mirror.apply(difference) }
    /// mirror.run = feed.run ?? mirror.run
    /// ```
    /// An inserted record may already be in the reader's copy, and a deleted one may never have been there: apply both all the
    /// same. Changes made while the feed is read are part of this feed or the next.
    /// - Parameters:
    ///   - resource: the resource of the records.
    ///   - run: the ``RecordFeed/run`` of the last feed; 0 for all records, to begin an empty copy with.
    /// - Throws: `StoreError.Kind.notFound` if there is no such run, or the changes since then are no longer known
    ///   completely.
    public func changes<Model>(
        of resource: Resource<Model>, since run: RunID
    ) async throws(RecordError) -> RecordFeed<Model> {
        let (store, name) = (store, resource.name)
        let since = try await RecordError.mapping { () throws(StoreError) in
            try await store.changes(of: name, since: run)
        }
        return RecordFeed(store: store, resource: resource, since: since)
    }
}

/// The changes since a run ended, in portions of at most 500 records. It can be read more than once.
public struct RecordFeed<Model: Codable & Sendable>: AsyncSequence, Sendable {
    public typealias Element = RecordDifference<Model>
    public typealias Failure = RecordError

    let store: Store
    let resource: Resource<Model>
    let since: RecordsSince

    /// The run from which the next feed starts; nil if no run ever ended.
    public var run: RunID? { since.run }

    /// The number of changed records, with those that typed reads leave out as pending creations.
    public var count: Int { since.changes.count }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(feed: self, rest: since.changes[...]) }

    public struct AsyncIterator: AsyncIteratorProtocol {
        static var portion: Int { 500 }

        let feed: RecordFeed
        var rest: ArraySlice<ChangedRecord>

        /// - Throws: ``RecordError``; a record that does not decode ends the feed.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(RecordError) -> Element? {
            guard !rest.isEmpty else { return nil }
            let changes = rest.prefix(Self.portion)
            let (store, lookup) = (
                feed.store, RecordLookup(resource: feed.resource.name, keys: changes.map(\.key))
            )
            let records = try await RecordError.mapping { () throws(StoreError) in try await store.records(lookup) }
            let difference = try await read(changes, records)
            rest = rest.dropFirst(changes.count)
            return difference
        }

        private func read(
            _ changes: ArraySlice<ChangedRecord>, _ records: [Record]
        ) async throws(RecordError) -> Element {
            var living: [KeyText: Record] = [:]
            for record in records { living[KeyText(record.key)] = record }
            let decoder = RecordDecoder(feed.resource.coding)
            var difference = Element()
            for change in changes {
                guard let record = living[KeyText(change.key)] else {
                    difference.deleted.append(change.key)
                    continue
                }
                guard let model = try await feed.resource.decodeUnlessPending(record, with: decoder, in: feed.store)
                else { continue }
                if change.kind == .updated {
                    difference.updated.append(model)
                } else {
                    difference.inserted.append(model)
                }
            }
            return difference
        }
    }
}
