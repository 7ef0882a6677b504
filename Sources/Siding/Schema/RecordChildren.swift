public import SidingJSON

/// The elements of an array inside each record, seen as rows of a view of their own: the labels of `issues` are the view
/// `issues_labels`.
///
/// The view has the element's members as columns, then `siding_key` where a key is declared, `siding_parent`, the key of the
/// record, and `siding_position`, the element's place in the array from 0 on.
public struct RecordChildren: Sendable, Hashable {
    /// What stands behind the resource's name in the view's.
    public var name: String
    /// Where the array lies in the record, with or without a trailing `[*]`.
    public var path: JSONPath
    /// What tells the elements of one record apart; nil where nothing does.
    public var key: JSONPath?
    /// Empty for columns that follow the elements' members.
    public var columns: [RecordColumn]

    public init(_ name: String, at path: JSONPath, key: JSONPath? = nil, columns: [RecordColumn] = []) {
        self.name = name
        self.path = path.withoutEach
        self.key = key
        self.columns = columns
    }

    /// The name of the view.
    public func viewName(of resource: String) -> String { "\(resource)_\(name)" }

    /// - Throws: ``RecordShapeError`` where no view can be like that.
    public func check() throws(RecordShapeError) {
        try RecordColumn.check(name: name)
        try ReachableName.check(path)
        if let key {
            if key.components.contains(.each) {
                throw RecordShapeError("the key \(key.shown) means several values")
            }
            try ReachableName.check(key)
        }
        if let indexed = columns.first(where: \.isIndexed) {
            throw RecordShapeError("the column '\(indexed.name)' of elements cannot have an index")
        }
        try RecordShape.check(columns)
    }
}
