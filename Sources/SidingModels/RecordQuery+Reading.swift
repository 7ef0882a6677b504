// SPDX-License-Identifier: Apache-2.0
internal import Siding

extension RecordQuery: AsyncSequence {
    public typealias Element = Model
    public typealias Failure = RecordError

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }

    /// Returns one model at a time, and decodes each record only when it is due.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let query: RecordQuery
        private let decoder: RecordDecoder
        private var portions: RecordPortions?
        private var records: [Record] = []
        private var position = 0
        private var window: RecordWindow<Model>

        init(_ query: RecordQuery) {
            self.query = query
            decoder = RecordDecoder(query.resource.coding)
            window = RecordWindow(query)
        }

        public mutating func next(isolation actor: isolated (any Actor)?) async throws(RecordError) -> Model? {
            while !window.isFull {
                while position < records.count, !window.isFull {
                    let model = try await query.resource.decodeUnlessPending(
                        records[position], with: decoder, in: query.store)
                    position += 1
                    if let model, window.takes(model) { return model }
                }
                guard !window.isFull, let more = try await nextPortion() else { return nil }
                (records, position) = (more, 0)
            }
            return nil
        }

        private mutating func nextPortion() async throws(RecordError) -> [Record]? {
            if portions == nil {
                portions = RecordPortions(try await query.selection(), in: query.store, size: RecordQuery.portion)
            }
            return try await portions?.next()
        }
    }
}

/// Applies the Swift filters, and then offset and limit.
struct RecordWindow<Model: Codable & Sendable> {
    private let filters: [@Sendable (Model) -> Bool]
    private var skips: Int
    private var room: Int?

    init(_ query: RecordQuery<Model>) {
        filters = query.filters
        // Without filters the store has applied offset and limit.
        skips = filters.isEmpty ? 0 : query.offset
        room = filters.isEmpty ? nil : query.limit
    }

    var isFull: Bool { room.map { $0 <= 0 } ?? false }

    /// Whether the model is part of the result. Call it once per model, in order.
    mutating func takes(_ model: Model) -> Bool {
        for isIncluded in filters where !isIncluded(model) { return false }
        if skips > 0 {
            skips -= 1
            return false
        }
        if let room { self.room = room - 1 }
        return true
    }
}

extension RecordQuery {
    /// All models. The next portion is read while this one is decoded.
    ///
    /// - Throws: ``RecordError``; the first record that does not decode ends the reading.
    @concurrent
    public func array() async throws(RecordError) -> [Model] {
        var models: [Model] = []
        var window = RecordWindow(self)
        var walk = PortionWalk(portions: RecordPortions(try await selection(), in: store, size: Self.portion))
        while !window.isFull, let records = try await walk.next() {
            async let following = walk.peek()
            for result in await decoded(records) where !window.isFull {
                if let model = try result.get(), window.takes(model) { models.append(model) }
            }
            walk.take(await following)
        }
        return models
    }

    /// Decodes a portion by halves side by side, as nearly all the time goes into decoding.
    private func decoded(_ records: [Record]) async -> [Swift.Result<Model?, RecordError>] {
        let middle = records.count / 2
        async let first = decoded(records[..<middle])
        let second = await decoded(records[middle...])
        return await first + second
    }

    private func decoded(_ records: ArraySlice<Record>) async -> [Swift.Result<Model?, RecordError>] {
        let decoder = RecordDecoder(resource.coding)
        var results: [Swift.Result<Model?, RecordError>] = []
        results.reserveCapacity(records.count)
        for record in records {
            do throws(RecordError) {
                results.append(.success(try await resource.decodeUnlessPending(record, with: decoder, in: store)))
            } catch { results.append(.failure(error)) }
        }
        return results
    }

    /// The first model; nil if there is none.
    public var first: Model? {
        get async throws(RecordError) {
            var iterator = limit(Swift.min(limit ?? 1, 1)).makeAsyncIterator()
            return try await iterator.next(isolation: nil)
        }
    }

    /// The number of records that a read returns. Without a Swift filter the database counts, and nothing is decoded.
    @concurrent
    public func count() async throws(RecordError) -> Int {
        guard filters.isEmpty else {
            var count = 0
            for try await _ in self { count += 1 }
            return count
        }
        let (store, selection) = (store, try await selection(isCounted: true))
        return try await RecordError.mapping { () throws(StoreError) in try await store.count(selection) }
    }

    /// The models in pages of `size`; the last may have fewer.
    public func pages(of size: Int) -> RecordPages<Model> { RecordPages(self, size: size) }
}

/// Reads one portion ahead.
private struct PortionWalk: Sendable {
    var portions: RecordPortions
    var ahead: Swift.Result<[Record]?, RecordError>?

    mutating func next() async throws(RecordError) -> [Record]? {
        guard let ahead else { return try await portions.next() }
        self.ahead = nil
        return try ahead.get()
    }

    /// Reads the portion after the current one.
    func peek() async -> (RecordPortions, Swift.Result<[Record]?, RecordError>) {
        var portions = portions
        do throws(RecordError) {
            let records = try await portions.next()
            return (portions, .success(records))
        } catch { return (portions, .failure(error)) }
    }

    mutating func take(_ read: (RecordPortions, Swift.Result<[Record]?, RecordError>)) {
        (portions, ahead) = (read.0, read.1)
    }
}

/// The models of a query, page by page.
public struct RecordPages<Model: Codable & Sendable>: AsyncSequence, Sendable {
    public typealias Element = [Model]
    public typealias Failure = RecordError

    private let query: RecordQuery<Model>
    private let size: Int

    init(_ query: RecordQuery<Model>, size: Int) {
        self.query = query
        self.size = Swift.max(size, 1)
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(models: query.makeAsyncIterator(), size: size) }

    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var models: RecordQuery<Model>.AsyncIterator
        fileprivate let size: Int

        public mutating func next(isolation actor: isolated (any Actor)?) async throws(RecordError) -> [Model]? {
            var page: [Model] = []
            while page.count < size, let model = try await models.next(isolation: actor) { page.append(model) }
            return page.isEmpty ? nil : page
        }
    }
}
