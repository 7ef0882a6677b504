// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingJSON
internal import SidingSQLite

/// How the table of a resource's records keeps the keys.
enum RecordsLayout: String, Sendable {
    /// All keys are integers of 64 bits: the key is the rowid.
    case rowid
    /// Keys of any type in a column of their own, with a unique index.
    case indexed
}

/// A resource as it is stored. What is JSON is decoded where it is needed.
struct ResourceRow {
    let id: Int64
    let name: String
    let source: String
    let storedDefinition: String
    /// Set by the first record; nil before.
    var keyType: RecordKey.Kind?
    /// Nil where there is no table of records yet.
    var layout: RecordsLayout?
    /// The end of the last complete listing or pass; nil if none was ever complete.
    var completedAt: Timestamp?
    var completedRun: RunID?
    var revision: Int64 = 0
    var isEdited = false
    var storedSchema: String?
    /// The newest revision whose tombstone was removed.
    var forgotten: Int64 = 0
    var historySince: Timestamp?
    /// The newest version that pruning has checked.
    var historyPruned: Int64 = 0
    /// The newest request that brought bodies; 0 for none.
    var requests: Int64 = 0
    /// The request with which unused ones are looked for again; nil if they never were.
    var requestsDue: Int64?
    var freshness = ListingFreshness()
    /// The resource whose records the listings are about.
    var parent: String?
    /// Whether an operator set the cursor since the last complete listing.
    var wasCursorSet = false
    /// How many stored records the last complete listing of all records lacks, where nothing deletes them.
    var unlisted = 0
    /// When every record was last asked for; nil if that is not known.
    var allListedAt: Timestamp?
    /// The revision at which records were last reconciled, -1 if they have to be again; nil if they never were.
    var reconciledRevision: Int64?
    /// Whether a page shows live records for which the filter is NULL.
    var hasNullFiltered = false
    var rewriteFrom: Int64?

    var definition: ResourceDefinition { ResourceDefinition(stored: storedDefinition) }
    /// For what saves and removes records. Throws ``StoreError/Kind/corrupt``.
    var schema: RecordSchema {
        get throws { try RecordSchema(stored: storedSchema, of: name) }
    }

    /// Empty if it cannot be read: for views, without which no file opens, for the retention of history, and for what a sync does
    /// before it stores the config's schema again.
    var schemaIfReadable: RecordSchema { (try? schema) ?? RecordSchema() }
}

extension ResourceRow {
    init(_ row: borrowing Row) throws {
        self.init(
            id: try row.int("id"), name: try row.text("name"), source: try row.text("source"),
            storedDefinition: try row.text("definition"))
        storedSchema = try row.optionalText("schema")
        parent = try row.optionalText("parent")
        keyType = try row.optionalText("key_type").flatMap(RecordKey.Kind.init(rawValue:))
        layout = try row.optionalText("layout").flatMap(RecordsLayout.init)
        revision = try row.int("revision")
        forgotten = try row.int("forgotten")
        isEdited = try row.isTrue("edited")
        hasNullFiltered = try row.isTrue("null_filtered")
        reconciledRevision = try row.optionalInt("reconciled_revision")
        rewriteFrom = try row.optionalInt("rewrite_from")
        historySince = try row.optionalTime("history_since")
        requests = try row.int("requests")
        historyPruned = try row.int("history_pruned")
        requestsDue = try row.optionalInt("requests_due")
        completedAt = try row.optionalTime("completed_at")
        completedRun = try row.optionalInt("completed_run")
        freshness = try ListingFreshness(row)
        wasCursorSet = try row.isTrue("cursor_was_set")
        allListedAt = try row.optionalTime("all_listed_at")
        unlisted = Int(try row.optionalInt("unlisted") ?? 0)
    }
}

extension RecordKey.Kind {
    var message: String {
        switch self {
        case .string: "a string"
        case .integer: "an integer"
        case .composite: "composite"
        }
    }

    /// Why a key of this type cannot stand beside those of `type`.
    func reason(unlike type: RecordKey.Kind?) -> String {
        "its key is \(message), the resource's keys are \(type?.message ?? "")"
    }
}

extension ListingFreshness {
    /// Reads `fresh_until` and `not_before`.
    init(_ row: borrowing Row) throws {
        self.init(freshUntil: try row.optionalTime("fresh_until"), notBefore: try row.optionalTime("not_before"))
    }
}
