// SPDX-License-Identifier: Apache-2.0
public import Siding
internal import SidingSynchronization

extension Siding {
    /// The stored records now, and then every change, by a sync, this program or another process.
    ///
    /// ```swift
    /// for try await event in siding.changes(of: issues, where: \.state == "open") {
    ///     switch event {
    ///     case .snapshot(let issues): list.replace(with: issues)
    ///     case .changes(let changes): list.apply(changes)
    ///     }
    /// }
    /// ```
    /// Commits of this process are seen at once, those of others within `interval`. Changes between two looks are merged, so a
    /// record that was inserted and deleted in between is never reported, nor one that is the same model as before. For a slow
    /// reader the stream keeps only the keys already reported, a number for each, and one portion of changes.
    /// - Parameters:
    ///   - resource: the resource of the records.
    ///   - predicate: only matching records exist for the stream: a record that begins to match is inserted, one that stops
    ///     matching is deleted.
    ///   - interval: how often to look for commits of other processes.
    ///   - clock: measures the interval.
    public func changes<Model>(
        of resource: Resource<Model>, where predicate: RecordPredicate<Model> = .everything,
        every interval: Duration = .milliseconds(250), clock: any Clock<Duration> = ContinuousClock()
    ) -> RecordChangeStream<Model> {
        RecordChangeStream(
            store: store, resource: resource, predicate: predicate, interval: interval, clock: clock)
    }
}

/// The stored records, and then their changes. It ends when its task is cancelled.
///
/// Each iteration is a stream of its own, which begins with a snapshot. There is no background task: all work is done while the
/// reader waits for the next element.
public struct RecordChangeStream<Model: Codable & Sendable>: AsyncSequence, Sendable {
    public typealias Failure = RecordError

    /// The snapshot, or one portion of changes.
    public enum Element: Sendable {
        /// All matching records when the stream began, in key order. Comes first, and once.
        case snapshot([Model])
        /// What has changed since the element before; never empty, at most 500 records.
        case changes(RecordDifference<Model>)
    }

    let store: Store
    let resource: Resource<Model>
    let predicate: RecordPredicate<Model>
    let interval: Duration
    let clock: any Clock<Duration>

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }

    public struct AsyncIterator: AsyncIteratorProtocol {
        private var reader: RecordChangeReader<Model>?
        private let stream: RecordChangeStream

        init(_ stream: RecordChangeStream) {
            self.stream = stream
        }

        /// - Throws: ``RecordError``; a record that does not decode ends the stream.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(RecordError) -> Element? {
            do throws(RecordError) {
                guard !Task.isCancelled else { return nil }
                guard reader != nil else {
                    var first = RecordChangeReader(stream)
                    let models = try await first.begin()
                    reader = first
                    return .snapshot(models)
                }
                return try await reader?.next().map(Element.changes)
            } catch {
                // Cancellation is the normal end of a stream, not an error.
                if case .store(let error) = error, error.kind == .cancelled, Task.isCancelled { return nil }
                throw error
            }
        }
    }
}

/// Records that were inserted, updated and deleted since the last look, at most 500.
public struct RecordDifference<Model: Sendable>: Sendable {
    /// Records that are new, or back after a deletion.
    public var inserted: [Model] = []
    /// Records that are another model than at the last look.
    public var updated: [Model] = []
    /// The keys of deleted records.
    public var deleted: [String] = []

    /// No differences.
    public init() {}

    /// Whether nothing differs.
    public var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }
}

/// Reads the snapshot and the changes of one iteration. It keeps what was already reported and the revision reached.
struct RecordChangeReader<Model: Codable & Sendable>: Sendable {
    static var portion: Int { 500 }

    private let stream: RecordChangeStream<Model>
    private var filter: RecordFilter?
    private var revision: Int64 = 0
    /// The resource's number, which is another after it was forgotten.
    private var number: Int64 = 0
    /// The keys of the records already reported, each with the digest of its model.
    private var known: [KeyText: Int] = [:]
    /// Changed keys not yet reported.
    private var pending: ArraySlice<String> = []
    /// Whether the table was given the index by which a look costs as much as there are changes.
    private var isIndexed = false
    /// How long to wait before the next look. A sync commits page after page, and a look without the index reads the whole
    /// table: nine parts of rest to one of reading leave the readers to others.
    private var rest = Duration.zero

    init(_ stream: RecordChangeStream<Model>) {
        self.stream = stream
    }

    /// Reads the snapshot.
    mutating func begin() async throws(RecordError) -> [Model] {
        let filter = try stream.predicate.resolve(stream.resource)
        self.filter = filter
        let (store, name) = (stream.store, stream.resource.name)
        let batch = try await RecordError.mapping { () throws(StoreError) in
            try await store.select(RecordSelection(resource: name, filter: filter))
        }
        (number, revision) = (batch.number, batch.revision)
        let decoder = RecordDecoder(stream.resource.coding)
        let comparison = ModelComparison<Model>(stream.resource.coding)
        var models: [Model] = []
        for record in batch.records {
            guard let model = try await stream.resource.decodeUnlessPending(record, with: decoder, in: stream.store)
            else { continue }
            known[KeyText(record.key)] = comparison.digest(of: model)
            models.append(model)
        }
        return models
    }

    /// Waits for the next changes; nil once the task is cancelled.
    mutating func next() async throws(RecordError) -> RecordDifference<Model>? {
        let (store, name) = (stream.store, stream.resource.name)
        while !Task.isCancelled {
            while !pending.isEmpty {
                let difference = try await nextPortion()
                if !difference.isEmpty { return difference }
            }
            if rest > .zero { try? await stream.clock.sleep(for: rest) }
            // Read before the look, so that any later commit ends the wait at once.
            let count = store.changeSignal.count
            let (since, former) = (revision, number)
            var changed = Result<ChangedKeys, StoreError>.success(
                ChangedKeys(number: former, revision: since, keys: []))
            let duration = await stream.clock.measure {
                do throws(StoreError) {
                    changed = .success(try await store.changedKeys(of: name, since: since, number: former))
                } catch { changed = .failure(error) }
            }
            let found = try await RecordError.mapping { () throws(StoreError) in try changed.get() }
            (number, revision) = (found.number, found.revision)
            if number != former { isIndexed = false }
            pending = (found.keys + removed(found))[...]
            rest = pending.isEmpty ? .zero : duration * 9
            if pending.isEmpty {
                await wait(past: count)
            } else if !isIndexed, number != 0 {
                // Without it, as in a store that is only read, looks take longer and find the same.
                try? await store.indexChanges(of: name)
                isIndexed = true
            }
        }
        return nil
    }

    /// The reported keys of records whose tombstones were removed before this reader saw them, or that were forgotten.
    private func removed(_ found: ChangedKeys) -> [String] {
        guard let living = found.living else { return [] }
        return Set(known.keys).subtracting((living + found.keys).map { KeyText($0) }).map(\.text).sorted()
    }

    private mutating func nextPortion() async throws(RecordError) -> RecordDifference<Model> {
        let keys = Array(pending.prefix(Self.portion))
        let (store, lookup) = (
            stream.store, RecordLookup(resource: stream.resource.name, keys: keys, filter: filter)
        )
        let records = try await RecordError.mapping { () throws(StoreError) in try await store.records(lookup) }
        pending = pending.dropFirst(keys.count)
        var difference = RecordDifference<Model>()
        let living = try await report(records, in: &difference)
        for key in keys where !living.contains(KeyText(key)) {
            if known.removeValue(forKey: KeyText(key)) != nil { difference.deleted.append(key) }
        }
        return difference
    }

    /// Adds the records that are new, or another model than before.
    ///
    /// - Returns: the keys of those that are there.
    private mutating func report(
        _ records: [Record], in difference: inout RecordDifference<Model>
    ) async throws(RecordError) -> Set<KeyText> {
        let decoder = RecordDecoder(stream.resource.coding)
        let comparison = ModelComparison<Model>(stream.resource.coding)
        var living: Set<KeyText> = []
        for record in records {
            let key = KeyText(record.key)
            // Written after the keys were read: the next look finds it, so it is reported once.
            guard record.revision <= revision else {
                living.insert(key)
                continue
            }
            guard let model = try await stream.resource.decodeUnlessPending(record, with: decoder, in: stream.store)
            else { continue }
            living.insert(key)
            let digest = comparison.digest(of: model)
            switch known.updateValue(digest, forKey: key) {
            case nil: difference.inserted.append(model)
            case digest: break
            default: difference.updated.append(model)
            }
        }
        return living
    }

    private func wait(past count: UInt64) async {
        let (signal, clock, interval) = (stream.store.changeSignal, stream.clock, stream.interval)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await signal.wait(past: count) }
            group.addTask { try? await clock.sleep(for: interval) }
            await group.next()
            group.cancelAll()
        }
    }
}

/// A key compared by its bytes: Unicode-equivalent texts are different keys.
struct KeyText: Hashable, Sendable {
    let text: String

    init(_ text: String) {
        self.text = text
    }

    static func == (one: KeyText, other: KeyText) -> Bool { one.text.utf8.elementsEqual(other.text.utf8) }

    func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
    }
}
