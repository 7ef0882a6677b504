// SPDX-License-Identifier: Apache-2.0
internal import SidingJSON
internal import SidingSQLite

/// Removes the members that a resource does not store (``RecordTransforms/dropped``) from writes and their answers; pages lose
/// them before they are saved.
struct DroppedMembers {
    private let removal: MemberRemoval

    init(_ removal: MemberRemoval) { self.removal = removal }

    /// Whether everything is stored.
    var isEmpty: Bool { removal.isEmpty }

    /// - Parameter resource: the resource's name; nil removes nothing.
    static func of(_ resource: String?, _ database: borrowing some Queryable & ~Copyable) throws -> DroppedMembers {
        let schema = try ResourcesTable.load(named: resource, database)?.schema
        return DroppedMembers(MemberRemoval(schema?.transforms.dropped ?? []))
    }

    /// The record without dropped members.
    func removed(from record: JSONDocument) throws -> JSONDocument {
        guard !removal.isEmpty, let left = record.bytes.withUnsafeBytes({ removal.applied(to: $0) }) else {
            return record
        }
        return try Store.document(left)
    }

    /// The answer without dropped members, at any depth. If it looks like JSON but cannot be parsed, such as a truncated one, it
    /// may contain them, so nothing is kept.
    func removed(from answer: [UInt8]) -> [UInt8] {
        guard !removal.isEmpty else { return answer }
        guard let document = try? JSONDocument(answer) else { return Self.looksLikeJSON(answer) ? [] : answer }
        return document.bytes.withUnsafeBytes { removal.appliedThroughout($0) } ?? answer
    }

    private static func looksLikeJSON(_ bytes: [UInt8]) -> Bool {
        let first = bytes.first { $0 != 0x20 && $0 != 0x09 && $0 != 0x0A && $0 != 0x0D }
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    }
}
