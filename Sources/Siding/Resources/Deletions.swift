// SPDX-License-Identifier: Apache-2.0
public import SidingJSON

/// How deletions at the origin are found. By default they are not: stored records stay.
///
/// A deleted record becomes a tombstone that keeps its body, and is restored when the origin shows it again.
public struct Deletions: Sendable, Hashable {
    /// Whether records missing from complete listings are deleted; see ``AnyResource/isStable`` for how many listings that
    /// takes.
    public var byAbsence: Bool
    /// The maximum share of the records, from 0 to 1, that may be deleted at once. Up to 10 deletions, never more than half of
    /// all records, pass whatever the share. More are blocked until an operator accepts them, and so is the deletion of all
    /// records. With 0 none is deleted. ``SyncOptions/acceptsDeletes`` accepts them for one sync.
    public var most: Double
    /// The member by which the origin marks records as deleted.
    public var mark: DeletionMark?

    /// The path of a single record below the source's base URL, with `{id}` for its key and the names that ``ForEach`` binds.
    /// Missing records are verified there by GET, and only 404, 410 or the mark delete them. Nil if complete listings are
    /// enough.
    package var recordPath: String?

    /// Whether the path depends on the parent.
    package var isPathBound: Bool {
        recordPath.map { $0.replacing("{\(Self.recordName)}", with: "").contains("{") } ?? false
    }

    /// The placeholder of a record's key in ``recordPath``.
    package static let recordName = "id"
    /// One tenth.
    package static let usualMost = 0.1

    /// The parameters are the properties of the same names.
    public init(byAbsence: Bool = false, most: Double = 0.1, mark: DeletionMark? = nil) {
        self.init(byAbsence: byAbsence, most: most, mark: mark, recordPath: nil)
    }

    package init(byAbsence: Bool, most: Double = Self.usualMost, mark: DeletionMark? = nil, recordPath: String?) {
        (self.byAbsence, self.most, self.mark, self.recordPath) = (byAbsence, most, mark, recordPath)
    }
}

/// A member that marks a record as deleted.
public struct DeletionMark: Sendable, Hashable, CustomStringConvertible {
    /// Where the mark is in a record: one member. A path to several (`$.tags[*]`) marks none.
    public var path: JSONPath
    /// The text of the marking value: a decoded string, or a number or Boolean as written. Nil for any value but those by which
    /// origins say no: `null`, `false`, 0, what is empty, and their texts (`"0"`, `"no"`, `"0000-00-00"`).
    public var equals: String?

    /// - Parameters:
    ///   - path: where the mark is in a record.
    ///   - equals: nil for any value but those that say no; see ``equals``.
    public init(_ path: JSONPath, equals: String? = nil) {
        (self.path, self.equals) = (path, equals)
    }

    public var description: String { equals.map { "\(path) = \($0)" } ?? path.description }

    /// Whether `record` has the mark.
    ///
    /// - Parameter record: the bytes of a JSON value.
    package func marks(_ record: UnsafeRawBufferPointer) -> Bool {
        // Such a path leads to an array or object, which is there in each record.
        guard !path.isOfSeveral, let value = JSONMembers.value(at: path, in: record) else { return false }
        if let equals { return value.text(in: record) == equals }
        switch value.kind {
        case .null, .false: return false
        case .true: return true
        case .array, .object: return value.bytes(in: record)?.dropFirst().dropLast().contains { $0 > 0x20 } ?? false
        case .string: return value.string(in: record).map(Self.isMark) ?? true
        case .number: return value.text(in: record).flatMap(Double.init) != 0
        }
    }

    /// Whether a text is a mark, and not one by which origins say no: MySQL's zero date and .NET's `DateTime.MinValue` are none.
    private static func isMark(_ text: String) -> Bool {
        guard text.utf8.count <= longestNo else { return true }
        // A text of zeros and separators is a zero, or a date of zeros.
        let rest = text.lowercased().filter { !$0.isWhitespace && !"-.:/".contains($0) }
        if rest.allSatisfy({ $0 == "0" }) || no.contains(rest) || text.lowercased() == "n/a" {
            return false
        }
        return !text.hasPrefix("0001-01-01") && !text.hasPrefix("0000-00-00")
    }

    private static let longestNo = 40
    private static let no: Set<String> = ["false", "no", "n", "f", "off", "null", "none", "nil", "never", "undefined"]
}
