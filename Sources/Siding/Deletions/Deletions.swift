public import SidingJSON

/// How it is found out that records were deleted at the origin. By default it is not: what is stored stays.
///
/// A deleted record becomes a tombstone that keeps its body, and lives again when the origin shows it again.
public struct Deletions: Sendable, Hashable {
    /// Whether a record counts as deleted that complete listings lack; see ``AnyResource/isStable`` for what proves it.
    public var byAbsence: Bool
    /// The largest share of the records, from 0 to 1, that may be gone at once; ten may be, of at least twenty, and half of
    /// fewer. What is more is left until a person has had a look, and so is everything there is. With 0 nothing goes.
    public var most: Double
    /// The member by which the origin itself marks records as deleted.
    public var mark: DeletionMark?

    /// Where a record is, below the source's base URL, with `{id}` for its key and the names that ``ForEach`` binds: what
    /// listings lack is asked for there, and only 404, 410 or the mark delete it. Nil where complete listings are enough.
    public var recordPath: String?

    /// Whether where a record is depends on its parent.
    package var isPathBound: Bool {
        recordPath.map { $0.replacing("{\(Self.recordName)}", with: "").contains("{") } ?? false
    }

    /// What stands for a record's key in ``recordPath``.
    public static let recordName = "id"
    /// A tenth.
    public static let usualMost = 0.1

    public init(
        byAbsence: Bool = false, most: Double = Self.usualMost, mark: DeletionMark? = nil, recordPath: String? = nil
    ) {
        (self.byAbsence, self.most, self.mark, self.recordPath) = (byAbsence, most, mark, recordPath)
    }
}

/// A member that says of a record that it is deleted.
public struct DeletionMark: Sendable, Hashable, CustomStringConvertible {
    public var path: JSONPath
    /// The text that it has then: a string decoded, numbers and truth values as they are written. Nil for anything but `null`,
    /// `false`, `0` and an empty string.
    public var equals: String?

    public init(_ path: JSONPath, equals: String? = nil) {
        (self.path, self.equals) = (path, equals)
    }

    public var description: String { equals.map { "\(path) = \($0)" } ?? path.description }

    /// Whether `record` is marked.
    ///
    /// - Parameter record: the bytes of a JSON value.
    package func marks(_ record: UnsafeRawBufferPointer) -> Bool {
        guard let value = JSONMembers.value(at: path, in: record) else { return false }
        if let equals { return value.text(in: record) == equals }
        switch value.kind {
        case .null, .false: return false
        case .true, .array, .object: return true
        case .string: return value.range.count > 2
        case .number: return value.text(in: record) != "0"
        }
    }
}

/// What a page's store has to know of deletions.
public struct DeletionTerms: Sendable, Hashable {
    public var rule: Deletions
    /// Whether one listing that was not interrupted is enough; see ``AnyResource/isStable``.
    public var isStable: Bool
    /// Whether a person has said that as many may go as are gone.
    public var isAccepted: Bool

    public init(_ rule: Deletions = Deletions(), isStable: Bool = false, isAccepted: Bool = false) {
        (self.rule, self.isStable, self.isAccepted) = (rule, isStable, isAccepted)
    }
}

extension Deletions {
    /// Why the guard blocks deletions, for a person.
    var excess: String {
        let percentage = most * 100
        let shown = percentage == percentage.rounded() ? "\(Int(percentage))" : "\(percentage)"
        return "That is more than deletes.max (\(shown) %)"
    }
}
