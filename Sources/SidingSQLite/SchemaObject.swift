/// One entry of `sqlite_schema`.
public struct SchemaObject: Sendable, Hashable {
    public enum Kind: String, Sendable, Hashable {
        case table, index, view, trigger
        /// A kind that this SQLite does not have: only damage or a planted row can make it.
        case unknown

        init(_ text: String) {
            self = Kind(rawValue: text) ?? .unknown
        }
    }

    public let kind: Kind
    public let name: String
    /// The table that an index or a trigger belongs to; its own name for a table or a view.
    public let table: String
    public let sql: String
}
