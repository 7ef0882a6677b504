/// One member of an object, as it stands in the bytes that were given.
public struct JSONMember: Sendable, Hashable {
    /// Decoded.
    public let name: String
    /// Whether the name is written with escapes: SQLite 3.40 does not find such a member.
    public let escaped: Bool
    public let kind: JSONKind
    /// A number without fraction and exponent, of any length.
    public let isInteger: Bool
    /// In the bytes that were given; with the quotes of a string.
    public let valueRange: Range<Int>
}

/// Looks into one value that has been read before, a record or a page: for columns, cursors and single fields.
///
/// The bytes are those of a valid JSON value; on others the answer is nil or empty, never a crash.
public enum JSONMembers {
    /// The members of an object in their order; none for other kinds.
    public static func topLevelMembers(of record: UnsafeRawBufferPointer) -> [JSONMember] {
        (try? members(of: record)) ?? []
    }

    /// The elements of an array in their order; none for other kinds.
    public static func elements(of array: UnsafeRawBufferPointer) -> [EnvelopeValue] {
        (try? values(in: array)) ?? []
    }

    /// The values of an object's members in their order, without a look at the names; none for other kinds.
    public static func topLevelValues(of record: UnsafeRawBufferPointer) -> [EnvelopeValue] {
        (try? memberValues(of: record)) ?? []
    }

    /// The value at a path; nil where nothing is there. Of members with equal names it is the first.
    public static func value(at path: JSONPath, in document: UnsafeRawBufferPointer) -> EnvelopeValue? {
        (try? find(path, in: document)) ?? nil
    }

    /// Whether the bytes of a number have neither fraction nor exponent.
    static func isInteger(_ number: Slice<UnsafeRawBufferPointer>) -> Bool {
        for byte in number where byte == UInt8(ascii: ".") || byte | 0x20 == UInt8(ascii: "e") { return false }
        return true
    }

    private static let limits = JSONLimits(maxDepth: .max, maxValues: .max, maxStringBytes: .max)

    private static func members(of record: UnsafeRawBufferPointer) throws(JSONSyntaxError) -> [JSONMember] {
        var scanner = try JSONScanner(record, limits: limits)
        guard scanner.isNext(UInt8(ascii: "{")), try scanner.enterObject() else { return [] }
        var members: [JSONMember] = []
        repeat {
            let name = try scanner.name()
            let value = try scanner.range()
            members.append(
                JSONMember(
                    name: JSONString.decode(name.contents) ?? String(decoding: name.contents, as: UTF8.self),
                    escaped: name.isEscaped, kind: value.kind,
                    isInteger: value.kind == .number && isInteger(record[value.range]), valueRange: value.range))
        } while try scanner.nextMember()
        return members
    }

    private static func memberValues(
        of record: UnsafeRawBufferPointer
    ) throws(JSONSyntaxError) -> [EnvelopeValue] {
        var scanner = try JSONScanner(record, limits: limits)
        guard scanner.isNext(UInt8(ascii: "{")), try scanner.enterObject() else { return [] }
        var values: [EnvelopeValue] = []
        repeat {
            _ = try scanner.name()
            values.append(try scanner.range())
        } while try scanner.nextMember()
        return values
    }

    private static func values(in array: UnsafeRawBufferPointer) throws(JSONSyntaxError) -> [EnvelopeValue] {
        var scanner = try JSONScanner(array, limits: limits)
        guard scanner.isNext(UInt8(ascii: "[")), try scanner.enterArray() else { return [] }
        var values: [EnvelopeValue] = []
        repeat { values.append(try scanner.range()) } while try scanner.nextElement()
        return values
    }

    private static func find(
        _ path: JSONPath, in document: UnsafeRawBufferPointer
    ) throws(JSONSyntaxError) -> EnvelopeValue? {
        var scanner = try JSONScanner(document, limits: limits)
        for component in path.withoutEach.components {
            switch component {
            case .member(let name): guard try scanner.descend(toMember: name) else { return nil }
            case .index(let index): guard try scanner.descend(toElement: index) else { return nil }
            case .each: return nil
            }
        }
        return try scanner.range()
    }
}

extension JSONScanner {
    /// Steps over a value and gives its kind and place.
    fileprivate mutating func range() throws(JSONSyntaxError) -> EnvelopeValue {
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
