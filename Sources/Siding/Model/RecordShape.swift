/// What is declared of a resource's records: how they are looked at, what they must keep to, and whether what they were
/// before is kept. Of all this only ``RecordTransforms/dropped`` changes what is stored of a record as it is now.
public struct RecordShape: Sendable, Hashable {
    /// The columns of the resource's view, which then shows these and no others; empty for one that follows the records.
    public var columns: [RecordColumn]
    /// Arrays inside the records whose elements have a view of their own.
    public var children: [RecordChildren]
    public var contract: RecordContract
    /// Which earlier versions of records are kept; nil for none.
    public var history: HistoryRetention?
    public var transforms: RecordTransforms

    public init(
        columns: [RecordColumn] = [], children: [RecordChildren] = [], contract: RecordContract = RecordContract(),
        history: HistoryRetention? = nil, transforms: RecordTransforms = RecordTransforms()
    ) {
        self.columns = columns
        self.children = children
        self.contract = contract
        self.history = history
        self.transforms = transforms
    }

    /// SQLite could take more, people could not.
    public static let mostColumns = 200

    /// - Throws: ``RecordShapeError`` where no view can be like that.
    public func check() throws(RecordShapeError) {
        try Self.check(columns)
        try transforms.check(beside: columns)
        var known: Set<String> = []
        for child in children {
            try child.check()
            guard known.insert(child.name.lowercased()).inserted else {
                throw RecordShapeError(
                    "two children are called '\(child.name)'", hint: "SQLite compares names without case")
            }
        }
    }

    static func check(_ columns: [RecordColumn]) throws(RecordShapeError) {
        guard columns.count <= mostColumns else {
            throw RecordShapeError("\(columns.count) columns are more than \(mostColumns)")
        }
        var known: Set<String> = []
        for column in columns {
            try column.check()
            guard known.insert(column.name.lowercased()).inserted else {
                throw RecordShapeError(
                    "two columns are called '\(column.name)'", hint: "SQLite compares names without case")
            }
        }
    }
}
