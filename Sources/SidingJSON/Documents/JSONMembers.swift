// SPDX-License-Identifier: Apache-2.0
/// One member of an object, located in the bytes that were read.
package struct JSONMember: Sendable, Hashable {
    /// The decoded name.
    package let name: String
    /// Whether the name is written with escapes: SQLite 3.40 does not find such members.
    package let escaped: Bool
    /// The kind of the value.
    package let kind: JSONKind
    /// Whether the value is a number without fraction and exponent, of any length.
    package let isInteger: Bool
    /// The value's bytes, including the quotes of a string.
    package let valueRange: Range<Int>
}

/// Reads members, elements and single values from a JSON value: for columns, cursors and fields.
///
/// The bytes must be valid JSON; for others the result is nil or empty, never a crash.
package enum JSONMembers {
    /// The members of an object in order; empty for other kinds.
    package static func topLevelMembers(of record: UnsafeRawBufferPointer) -> [JSONMember] {
        let members = try? members(of: record) { name, value in
            JSONMember(
                name: JSONString.decode(name.contents) ?? String(decoding: name.contents, as: UTF8.self),
                escaped: name.isEscaped, kind: value.kind,
                isInteger: value.kind == .number && isInteger(record[value.range]), valueRange: value.range)
        }
        return members ?? []
    }

    /// The elements of an array in order; empty for other kinds.
    package static func elements(of array: UnsafeRawBufferPointer) -> [EnvelopeValue] {
        (try? values(in: array)) ?? []
    }

    /// The values of an object's members in order, without decoding names; empty for other kinds.
    package static func topLevelValues(of record: UnsafeRawBufferPointer) -> [EnvelopeValue] {
        (try? members(of: record) { $1 }) ?? []
    }

    /// The value at a path; nil if there is none. If a name is repeated, the first one counts.
    package static func value(at path: JSONPath, in document: UnsafeRawBufferPointer) -> EnvelopeValue? {
        (try? find(path, in: document)) ?? nil
    }

    /// Whether the number is written without fraction and exponent.
    static func isInteger(_ number: Slice<UnsafeRawBufferPointer>) -> Bool {
        for byte in number where byte == UInt8(ascii: ".") || byte | 0x20 == UInt8(ascii: "e") { return false }
        return true
    }

    private static func members<Member>(
        of record: UnsafeRawBufferPointer, _ member: (ScannedString, EnvelopeValue) -> Member
    ) throws(JSONSyntaxError) -> [Member] {
        var scanner = try JSONScanner(record, limits: .unlimited)
        guard scanner.isNext(UInt8(ascii: "{")), try scanner.enterObject() else { return [] }
        var members: [Member] = []
        repeat { members.append(member(try scanner.name(), try scanner.range())) } while try scanner.nextMember()
        return members
    }

    private static func values(in array: UnsafeRawBufferPointer) throws(JSONSyntaxError) -> [EnvelopeValue] {
        var scanner = try JSONScanner(array, limits: .unlimited)
        guard scanner.isNext(UInt8(ascii: "[")), try scanner.enterArray() else { return [] }
        var values: [EnvelopeValue] = []
        repeat { values.append(try scanner.range()) } while try scanner.nextElement()
        return values
    }

    private static func find(
        _ path: JSONPath, in document: UnsafeRawBufferPointer
    ) throws(JSONSyntaxError) -> EnvelopeValue? {
        var scanner = try JSONScanner(document, limits: .unlimited)
        for component in path.withoutEach.components {
            switch component {
            case .member(let name): guard try scanner.descend(toMember: name) else { return nil }
            case .index(let index): guard try scanner.descend(toElement: index) else { return nil }
            case .each, .child, .name, .line: return nil
            }
        }
        return try scanner.range()
    }
}

extension JSONScanner {
    /// Skips a value and returns its kind and range.
    mutating func range() throws(JSONSyntaxError) -> EnvelopeValue {
        guard position < end else { throw failure(.expectedValue) }
        let first = position
        var rules = SyntaxRules(depthLeft: .max, maxStringBytes: .max)
        try skipValue(&rules)
        return EnvelopeValue(kind: JSONKind(firstByte: first.pointee), range: first - start..<position - start)
    }

    fileprivate mutating func descend(toMember name: String) throws(JSONSyntaxError) -> Bool {
        guard isNext(UInt8(ascii: "{")), try enterObject() else { return false }
        let text = Array(name.utf8)
        repeat {
            let contents = try self.name().contents
            if text.withUnsafeBytes({ JSONString.areEqual(contents, toText: $0) }) { return true }
            _ = try range()
        } while try nextMember()
        return false
    }

    fileprivate mutating func descend(toElement index: Int) throws(JSONSyntaxError) -> Bool {
        guard isNext(UInt8(ascii: "[")), try enterArray() else { return false }
        for _ in 0..<index {
            _ = try range()
            guard try nextElement() else { return false }
        }
        return true
    }
}
