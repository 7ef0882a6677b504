public import SidingJSON

/// An array inside each record whose elements are rows of their own view: the labels of `issues` are in the view
/// `issues_labels`.
///
/// The view has the element's members as columns, `siding_key` if a key is declared, `siding_parent` with the record's key,
/// and `siding_position` with the element's index, from 0.
public struct RecordChildren: Sendable, Hashable {
    /// The suffix of the view's name.
    public var name: String
    /// The path of the array in the record, with or without a trailing `[*]`.
    public var path: JSONPath
    /// The path of the key within an element; nil for none.
    public var key: JSONPath?
    /// The declared columns; if empty, columns follow the elements' members.
    public var columns: [RecordColumn]

    public init(_ name: String, at path: JSONPath, key: JSONPath? = nil, columns: [RecordColumn] = []) {
        self.name = name
        self.path = path.withoutEach
        self.key = key
        self.columns = columns
    }

    /// The name of the view.
    public func viewName(of resource: String) -> String { "\(resource)_\(name)" }

    /// - Throws: ``RecordSchemaError`` if no view can be like that.
    public func check() throws(RecordSchemaError) {
        try RecordColumn.check(name: name)
        try ReachableName.check(path)
        if let key {
            if key.components.contains(.each) {
                throw RecordSchemaError("the key \(key.shown) means several values")
            }
            try ReachableName.check(key)
        }
        if let indexed = columns.first(where: \.isIndexed) {
            throw RecordSchemaError("the column '\(indexed.name)' of elements cannot have an index")
        }
        try RecordSchema.check(columns)
    }
}
