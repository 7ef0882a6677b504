internal import SidingJSON
internal import SidingSQLite

/// The members that a resource does not store (``RecordTransforms/dropped``), whoever brings them: pages have lost them by the
/// time they are saved, answers to writes and the writes themselves lose them here.
struct DroppedMembers {
    private let removal: MemberRemoval

    init(_ removal: MemberRemoval) { self.removal = removal }

    /// - Parameter resource: its number.
    static func of(
        _ resource: Int64, _ database: borrowing some Queryable & ~Copyable
    ) throws -> DroppedMembers {
        let text = try database.first("SELECT shape FROM siding_resources WHERE id = ?1", resource) {
            $0.optionalText(0)
        }
        return DroppedMembers(stored: text ?? nil)
    }

    /// - Parameter resource: its name; nil for what is no record's, and loses nothing.
    static func of(
        _ resource: String?, _ database: borrowing some Queryable & ~Copyable
    ) throws -> DroppedMembers {
        let text = try database.first("SELECT shape FROM siding_resources WHERE name = ?1", resource) {
            $0.optionalText(0)
        }
        return DroppedMembers(stored: text ?? nil)
    }

    private init(stored text: String?) {
        removal = MemberRemoval(text.map { StoredShape.shape($0).transforms.dropped } ?? [])
    }

    /// A record without them.
    func removed(from record: JSONDocument) throws -> JSONDocument {
        guard !removal.isEmpty, let left = record.bytes.withUnsafeBytes({ removal.applied(to: $0) }) else {
            return record
        }
        return try EditRows.document(left)
    }

    func removed(from state: RecordState) throws -> RecordState {
        RecordState(body: try state.body.map(removed), deletedAt: state.deletedAt)
    }

    /// An answer without them, wherever in it a record lies. One that would be JSON and cannot be read as such, a part of a long
    /// one say, may hold any of them: nothing is left of it.
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
