/// What of a resource is to be read as a whole, all of it as of one moment.
public struct RecordExport: Sendable, Hashable {
    /// A resource, or a view of the elements of a nested array, `issues_labels`.
    public var name: String
    public var scope: Scope
    public var content: Content

    public enum Scope: Sendable, Hashable {
        case living
        /// The tombstones.
        case deleted
        /// What changed after the end of a run; see ``Store/changes(of:since:)``.
        case changed(since: RunID)
    }

    /// What is read of each record. An element of a nested array has columns in any case.
    public enum Content: Sendable, Hashable {
        case body
        /// All columns of the view.
        case columns
        /// These columns of the view, in this order; a resource has `siding_key`, too, where its view does not show it.
        case named([String])
    }

    public init(_ name: String, scope: Scope = .living, content: Content = .body) {
        (self.name, self.scope, self.content) = (name, scope, content)
    }
}

/// One row of an export.
public struct ExportedRow: Sendable, Hashable {
    /// Nil for the element of a nested array. The body is empty where columns were asked for.
    public var record: Record?
    /// Where changes were asked for.
    public var change: ChangedRecord.Kind?
    /// One per column.
    public var values: [ExportedValue]
}

/// The value of a column.
public enum ExportedValue: Sendable, Hashable {
    /// Of a column that is declared with a type: as the view shows it.
    case cell(QueryCell)
    /// Of any other: the JSON text, so that numbers keep their digits, and true and false what they are.
    case json([UInt8])
}
