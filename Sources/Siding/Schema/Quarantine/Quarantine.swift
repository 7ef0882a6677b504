// SPDX-License-Identifier: Apache-2.0
public import SidingChain
internal import SidingSQLite
internal import SidingSynchronization

/// A quarantined record, which broke its contract.
public struct QuarantinedRecord: Sendable, Hashable {
    /// The number for commands; it stays while the origin sends the same bytes at the same position.
    public var id: Int64
    /// The name of its resource.
    public var resource: String
    /// Nil if it has no usable key.
    public var key: String?
    /// Why it was quarantined, as a message.
    public var reason: String
    /// The broken rule: `new_field`, `type_change`, `missing_key`, `key_type`, `shared_key`, `duplicate_name`, …
    public var code: String
    /// The run that last received it.
    public var run: RunID
    /// The URL of its page.
    public var url: String
    /// Its byte offset in the page.
    public var position: Int
    /// When the origin first sent these bytes.
    public var createdAt: Timestamp
    /// When the origin last sent them.
    public var seenAt: Timestamp
    /// The length of the record in bytes, also in lists.
    public var size: Int
    /// The original bytes; empty in lists.
    public var body: [UInt8]
    /// The key of the parent whose page it is from; empty for none.
    var scope: String
}

extension QuarantinedRecord {
    /// The rules about the key whose reason does not say how the record comes to be saved.
    static let keyRules = ["key_type", "key_not_usable", "missing_key"]

    /// How the record comes to be saved, if its rule is one about the key; nil for others.
    package var remedy: String? { Self.remedy(of: code, in: resource) }

    static func remedy(of code: String, in resource: String) -> String? {
        switch code {
        case "key_type":
            "if the origin changed the type of its keys, 'siding records forget \(resource)' removes the records with the old "
                + "ones, and 'siding sync \(resource) --full' fetches all of them again"
        case "key_not_usable", "missing_key":
            "name the member that has the key in `key:` of '\(resource)' in the config; then 'siding quarantine retry "
                + "--resource \(resource)' saves what it can"
        default: nil
        }
    }
}

/// A selection of quarantined records: all, or those that match every given criterion.
public struct QuarantineSelection: Sendable, Hashable {
    /// Their numbers; empty for all.
    public var ids: [Int64]
    /// The names of their resources; empty for all.
    public var resources: [String]
    /// Nil for no limit; oldest first.
    public var limit: Int?

    /// All by default.
    public init(ids: [Int64] = [], resources: [String] = [], limit: Int? = nil) {
        (self.ids, self.resources, self.limit) = (ids, resources, limit)
    }
}

/// The result of retrying a quarantined record.
public struct QuarantineChange: Sendable, Hashable {
    /// The record that was tried again.
    public var record: QuarantinedRecord
    /// Why it stays in quarantine; nil if it was saved.
    public var refusal: String?
    /// The holder of its resource's lease, in which case nothing was done; nil otherwise.
    public var heldBy: LeaseHolder?
}

extension Store {
    /// The selected records, oldest first, without their bytes.
    ///
    /// - Parameter after: only those that were first seen after the record with this number; none if there is no such record.
    /// - Throws: ``StoreError/Kind/notFound`` for a selected id that does not exist.
    package func quarantined(
        _ selection: QuarantineSelection, after: Int64? = nil
    ) async throws(StoreError) -> [QuarantinedRecord] {
        try await read { try QuarantineTable.find(selection, after: after, $0) }
    }

    /// One record with its bytes.
    ///
    /// - Throws: ``StoreError/Kind/notFound`` if there is none.
    package func quarantined(_ id: Int64) async throws(StoreError) -> QuarantinedRecord? {
        try await read { try QuarantineTable.find(QuarantineSelection(ids: [id]), withBodies: true, $0).first }
    }

    /// Removes quarantined records with their bytes; the origin may send them again.
    ///
    /// - Returns: those that were there until now.
    package func dropQuarantined(_ selection: QuarantineSelection) async throws(StoreError) -> [QuarantinedRecord] {
        try await inBatches(of: try await quarantined(selection)) { meant, transaction in
            let removed = try QuarantineTable.remove(meant.map(\.id), transaction)
            return meant.filter { removed.contains($0.id) }
        }
    }
}
