/// What is declared of a resource's records: how they are looked at. Nothing of it changes what is stored.
public struct RecordShape: Sendable, Hashable {
    /// The columns of the resource's view, which then shows these and no others; empty for one that follows the records.
    public var columns: [RecordColumn]

    public init(columns: [RecordColumn] = []) {
        self.columns = columns
    }

    /// SQLite could take more, people could not.
    public static let mostColumns = 200

    /// - Throws: ``RecordShapeError`` where no view can be like that.
    public func check() throws(RecordShapeError) {
        try Self.check(columns)
    }

    private static func check(_ columns: [RecordColumn]) throws(RecordShapeError) {
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
