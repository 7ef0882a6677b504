// SPDX-License-Identifier: Apache-2.0
internal import Siding
internal import SidingJSON

/// Saves models: reads the stored records, decides, and writes in one transaction if nothing changed meanwhile; else it
/// repeats.
struct RecordWriter<Model: Codable & Sendable>: Sendable {
    /// How often a batch is decided before the writer gives up.
    static var tries: Int { 8 }

    let store: Store
    let resource: Resource<Model>
    let strategy: ConflictStrategy<Model>
    let duplicates: DuplicateRule

    /// Saves a batch of models, and returns one outcome per model, in order.
    @concurrent
    func save(_ models: [Model]) async throws(StoreError) -> [RowOutcome<Model>] {
        var batch = ModelBatch(models, of: resource)
        var outcomes = models.indices.map { batch.invalid[$0].map(RowOutcome<Model>.invalid) ?? .unchanged }
        for index in batch.collapse(duplicates, resource.version) { outcomes[index] = .skipped(.duplicate) }
        guard !batch.entries.isEmpty else { return outcomes }
        for _ in 0..<Self.tries {
            let plan = try await plan(batch.entries)
            for (index, outcome) in plan.outcomes { outcomes[index] = outcome }
            guard !plan.rows.isEmpty else { return outcomes }
            guard let written = try await write(plan.rows) else { continue }
            for (row, outcome) in zip(plan.rows, written) { outcomes[row.index] = RowOutcome(outcome) }
            return outcomes
        }
        throw StoreError(
            .outdated, "records of '\(resource.name)' changed \(Self.tries) times while they were being merged",
            hint: "try again")
    }

    /// The decisions for a batch.
    private struct Plan {
        var rows: [PlannedRow] = []
        /// Outcomes that need no write, by index.
        var outcomes: [Int: RowOutcome<Model>] = [:]
    }

    /// A body to write, and the stored state that it requires.
    struct PlannedRow: Sendable {
        let index: Int
        let body: [UInt8]
        let expectation: RecordChanges.Expectation
    }

    /// Whether a record that changes meanwhile is overwritten, too: without versions, the last one who saves wins.
    private var overwritesAnything: Bool {
        if case .overwrite = strategy { resource.version == nil } else { false }
    }

    private func plan(_ entries: [ModelBatch<Model>.Entry]) async throws(StoreError) -> Plan {
        var plan = Plan()
        // Own edits that wait are none of the caller's: it saves what the origin has, or what was shown to it.
        var lookup = RecordLookup(resource: resource.name, keys: entries.map(\.key))
        lookup.omitsEdits = true
        var stored: [[UInt8]: Record] = [:]
        for record in try await store.records(lookup) { stored[Array(record.key.utf8)] = record }
        lookup = RecordLookup(
            resource: resource.name, keys: stored.values.filter { $0.pending > 0 }.map(\.key))
        var edited: [[UInt8]: Record] = [:]
        if !lookup.keys.isEmpty {
            for record in try await store.records(lookup) { edited[Array(record.key.utf8)] = record }
        }
        let coders = (decoder: RecordDecoder(resource.coding), comparison: ModelComparison<Model>(resource.coding))
        for entry in entries {
            let key = Array(entry.key.utf8)
            if let shown = edited[key], isSame(entry, shown, coders) {
                plan.outcomes[entry.index] = .unchanged
                continue
            }
            switch decide(entry, stored[key], coders) {
            case .write(let body, let expectation):
                let required = overwritesAnything ? .anything : expectation
                plan.rows.append(PlannedRow(index: entry.index, body: body, expectation: required))
            case .decided(let outcome): plan.outcomes[entry.index] = outcome
            }
        }
        return plan
    }

    private enum Decision {
        case write([UInt8], RecordChanges.Expectation)
        case decided(RowOutcome<Model>)
    }

    private typealias Coders = (decoder: RecordDecoder, comparison: ModelComparison<Model>)

    /// What is stored instead of the model; nil if it is the model.
    private func other(
        _ entry: ModelBatch<Model>.Entry, _ record: Record, _ coders: Coders
    ) throws(RecordError) -> Model? {
        if record.body == entry.body { return nil }
        let stored = try resource.decode(record, with: coders.decoder)
        return coders.comparison.isSame(entry.body, as: stored) ? nil : stored
    }

    private func isSame(_ entry: ModelBatch<Model>.Entry, _ record: Record, _ coders: Coders) -> Bool {
        do throws(RecordError) { return try other(entry, record, coders) == nil } catch { return false }
    }

    private func decide(_ entry: ModelBatch<Model>.Entry, _ record: Record?, _ coders: Coders) -> Decision {
        guard let record else { return .write(entry.body, .nothing) }
        do throws(RecordError) {
            guard let stored = try other(entry, record, coders) else { return .decided(.unchanged) }
            return decide(entry, record, stored, coders.comparison)
        } catch {
            // Overwriting does not require that the stored body decodes.
            if case .overwrite = strategy { return .write(entry.body, .body(record.body)) }
            return .decided(.invalid(error.description))
        }
    }

    /// The decision for a model that differs from the stored one.
    private func decide(
        _ entry: ModelBatch<Model>.Entry, _ record: Record, _ stored: Model, _ comparison: ModelComparison<Model>
    ) -> Decision {
        let isOlder = resource.version?.isOlder
        let isNewer = isOlder?(stored, entry.model) == true
        let isStale = isOlder?(entry.model, stored) == true
        switch strategy {
        case .error where isNewer: return .write(entry.body, .body(record.body))
        case .error: return .decided(isStale ? .skipped(.stale) : .conflict(stored: stored))
        case .overwrite: return isStale ? .decided(.skipped(.stale)) : .write(entry.body, .body(record.body))
        case .takePreferable(let prefer):
            return resolved(prefer(stored, entry.model), entry, record, stored, comparison)
        case .merge(let merge):
            do { return resolved(try merge(stored, entry.model), entry, record, stored, comparison) } catch {
                return .decided(.invalid("it could not be merged: \(PlainText.oneLine("\(error)", limit: 200))"))
            }
        }
    }

    private func resolved(
        _ model: Model, _ entry: ModelBatch<Model>.Entry, _ record: Record, _ stored: Model,
        _ comparison: ModelComparison<Model>
    ) -> Decision {
        if resource.version?.isOlder(model, stored) == true { return .decided(.skipped(.stale)) }
        switch ModelBatch.row(model, of: resource) {
        case .failure(let fault): return .decided(.invalid(fault.reason))
        case .success(let row) where !row.key.utf8.elementsEqual(entry.key.utf8):
            return .decided(.invalid("it was resolved to a model with another key"))
        case .success(let row):
            // A merge that returns the stored model changes nothing.
            return row.body == record.body || comparison.isSame(row.body, as: stored)
                ? .decided(.unchanged) : .write(row.body, .body(record.body))
        }
    }

    // MARK: Writing

    private func write(_ rows: [PlannedRow]) async throws(StoreError) -> [RecordChangeOutcome]? {
        var bytes: [UInt8] = [UInt8(ascii: "[")]
        bytes.reserveCapacity(rows.reduce(2) { $0 + $1.body.count + 1 })
        for row in rows {
            if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
            bytes += row.body
        }
        bytes.append(UInt8(ascii: "]"))
        let limits = resource.untyped.source.jsonLimits
        let reader = PageReader(
            records: .root, key: resource.untyped.key,
            limits: JSONLimits(maxDepth: limits.maxDepth, maxValues: .max, maxStringBytes: limits.maxStringBytes))
        let slices = bytes.withUnsafeBytes { page in (try? reader.read(page).records) ?? [] }
        guard slices.count == rows.count else {
            throw StoreError(.inputOutput, "\(rows.count) records became \(slices.count) when they were joined")
        }
        let changes = RecordChanges(
            resource: resource.name, source: resource.untyped.source.name,
            definition: ResourceDefinition(resource.untyped), bytes: bytes,
            rows: zip(slices, rows).map { RecordChanges.ChangedRow(slice: $0, expectation: $1.expectation) })
        return try await store.apply(changes)
    }
}

extension RowOutcome {
    fileprivate init(_ outcome: RecordChangeOutcome) {
        switch outcome {
        case .inserted: self = .inserted
        case .updated: self = .updated
        case .unchanged: self = .unchanged
        case .invalid(let reason): self = .invalid(reason)
        }
    }
}
