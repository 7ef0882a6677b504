// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials
internal import Siding
internal import SidingJSON

/// Prepares models for saving: encodes them and reads their keys, by the rules for fetched records.
struct ModelBatch<Model: Codable & Sendable>: Sendable {
    /// One model with its key and encoded body.
    struct Entry: Sendable {
        /// The index among the given models.
        let index: Int
        let model: Model
        let key: String
        let body: [UInt8]
    }

    /// The models that can be stored, in order.
    private(set) var entries: [Entry] = []
    /// What is wrong with the others, by index.
    private(set) var invalid: [Int: String] = [:]

    init(_ models: [Model], of resource: Resource<Model>) {
        let encoder = resource.coding.encoder()
        let reader = Self.reader(resource)
        for (index, model) in models.enumerated() {
            switch Self.row(model, encoder, reader) {
            case .success((let key, let body)):
                entries.append(Entry(index: index, model: model, key: key, body: body))
            case .failure(let fault): invalid[index] = fault.reason
            }
        }
    }

    /// Keeps one entry per key, and returns the indexes of the others.
    mutating func collapse(_ rule: DuplicateRule, _ versions: VersionOrder<Model>?) -> [Int] {
        var taken: [[UInt8]: Int] = [:]
        var dropped: [Int] = []
        for (position, entry) in entries.enumerated() {
            let key = Array(entry.key.utf8)
            guard let other = taken[key] else {
                taken[key] = position
                continue
            }
            let isBetter =
                switch rule {
                case .first: false
                case .last: true
                case .highestVersion: versions.map { !$0.isOlder(entry.model, entries[other].model) } ?? true
                }
            dropped.append(entries[isBetter ? other : position].index)
            if isBetter { taken[key] = position }
        }
        guard !dropped.isEmpty else { return [] }
        let gone = Set(dropped)
        entries.removeAll { gone.contains($0.index) }
        return dropped
    }

    /// Why a model cannot be stored.
    struct Fault: Error {
        let reason: String
    }

    private static func reader(_ resource: Resource<Model>) -> PageReader {
        PageReader(records: nil, key: resource.untyped.key, limits: resource.untyped.source.jsonLimits)
    }

    /// One model's key and body.
    static func row(
        _ model: Model, of resource: Resource<Model>
    ) -> Swift.Result<(key: String, body: [UInt8]), Fault> {
        row(model, resource.coding.encoder(), reader(resource))
    }

    private static func row(
        _ model: Model, _ encoder: JSONEncoder, _ reader: PageReader
    ) -> Swift.Result<(key: String, body: [UInt8]), Fault> {
        let page: [UInt8]
        do { page = Array(try encoder.encode([OrderedValue(model)])) } catch {
            return .failure(Fault(reason: "it cannot be encoded: \(PlainText.oneLine("\(error)", limit: 200))"))
        }
        return page.withUnsafeBytes { page in
            do throws(PageFault) {
                guard let slice = try reader.read(page).records.first else {
                    return .failure(Fault(reason: "it is encoded as nothing"))
                }
                switch slice.outcome {
                case .key(let key): return .success((key.text(in: page), Array(page[slice.range])))
                case .fault(let fault): return .failure(Fault(reason: fault.reason))
                }
            } catch {
                return .failure(Fault(reason: "it is encoded as what is no JSON: \(error)"))
            }
        }
    }
}

/// The outcome of saving one model.
public enum RowOutcome<Model: Sendable>: Sendable {
    /// No live record was stored under its key.
    case inserted
    /// Another model was stored under its key, and this one replaced it.
    case updated
    /// The stored model is the same, however the origin writes it; nothing was written.
    case unchanged
    /// Not written; the reason says which rule applied.
    case skipped(SkipReason)
    /// The stored model differs, and the strategy leaves the decision to the caller.
    case conflict(stored: Model)
    /// It cannot be stored; the rest of the batch is not affected.
    case invalid(String)

    /// Why a model was skipped.
    public enum SkipReason: String, Sendable, Hashable, CaseIterable {
        /// A newer version is stored, and versions never go backwards.
        case stale
        /// Another model of the batch has the same key and was saved instead.
        case duplicate
    }
}

extension RowOutcome: Equatable where Model: Equatable {}

/// How to save a model if another one is stored under its key. Two models are the same if they are encoded as the same JSON.
///
/// If the resource declares a version, a higher version is no conflict, a lower one is stale and skipped, and only an equal
/// version of another model is a conflict. `merge` and `takePreferable` are called for any versions; their result is written
/// unless it is older than the stored model.
///
/// The functions run outside of any transaction, and again if the stored record changed meanwhile.
public enum ConflictStrategy<Model: Sendable>: Sendable {
    /// Writes nothing, and returns ``RowOutcome/conflict(stored:)``.
    case error
    /// Writes the function's result. If the function throws, the row is invalid, with the error's text.
    case merge(with: @Sendable (_ stored: Model, _ incoming: Model) throws -> Model)
    /// Writes the new model.
    case overwrite
    /// Writes the model that the function returns.
    case takePreferable(@Sendable (_ stored: Model, _ incoming: Model) -> Model)
}

/// Which of several models with the same key in a batch is saved; the others are skipped as duplicates.
public enum DuplicateRule: Sendable, Hashable {
    /// The one that comes first in the batch.
    case first
    /// The one that comes last in the batch.
    case last
    /// The one with the highest version, the last of equals; without a version, the last.
    case highestVersion
}
