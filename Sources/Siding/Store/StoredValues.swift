// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials
internal import SidingChain
internal import SidingJSON
internal import SidingSQLite

/// JSON as it is stored in columns.
extension Store {
    static func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    /// - Parameters:
    ///   - name: what the text is, for the message.
    ///   - hint: what makes it readable again.
    /// - Throws: ``StoreError/Kind/corrupt``
    static func decode<Value: Decodable>(
        _ type: Value.Type, _ text: String, as name: String, hint: String? = nil
    ) throws(StoreError) -> Value {
        do { return try JSONDecoder().decode(type, from: Data(text.utf8)) } catch {
            throw StoreError(.corrupt, "\(name) cannot be read", hint: hint)
        }
    }

    /// Nil if it cannot be read; for what only informs, or is made again. Every use gives its reason.
    static func decodeIfReadable<Value: Decodable>(_ type: Value.Type, _ text: String?) -> Value? {
        text.flatMap { try? JSONDecoder().decode(type, from: Data($0.utf8)) }
    }

    /// Parses stored bytes without limits: they were checked under the limits of the time they were stored.
    static func document(_ bytes: [UInt8]) throws -> JSONDocument {
        do { return try JSONDocument(bytes, limits: .unlimited) } catch {
            throw StoreError(.corrupt, "a stored record or edit is not JSON: \(error)")
        }
    }
}

extension Row {
    /// A moment, which is stored in microseconds.
    func time(_ name: StaticString) throws -> Timestamp { Timestamp(microseconds: try int(name)) }
    func optionalTime(_ name: StaticString) throws -> Timestamp? { try optionalInt(name).map(Timestamp.init) }
}

extension Transaction {
    /// Rewrites stored JSON of a resource, a batch at a time, so that memory does not grow with the table.
    ///
    /// - Parameters:
    ///   - selection: reads the `id` and the bytes `value` of the next rows in ascending order, for the resource `?1` behind row `?2`.
    ///   - update: stores the value `?2` in row `?1`.
    ///   - rewrite: nil keeps a row as it is.
    func rewrite(
        _ selection: SQL, of resource: any SQLiteBindable, update: SQL, by rewrite: ([UInt8]) throws -> SQLiteValue?
    ) throws {
        var write = try prepare(update)
        var last: Int64 = 0
        while true {
            let rows = try query(selection, resource, last) { (id: try $0.int("id"), bytes: try $0.blob("value")) }
            guard let end = rows.last else { return }
            last = end.id
            for row in rows {
                guard let value = try rewrite(row.bytes) else { continue }
                try write.bind(1, row.id)
                try write.bind(2, value)
                try write.step()
            }
        }
    }
}
