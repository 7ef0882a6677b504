extension JSONDocument {
    /// The value at `path`; nil where nothing is there, which a `null` is not.
    public func value(at path: JSONPath) -> JSONDocument? {
        bytes.withUnsafeBytes { JSONMembers.value(at: path, in: $0) }.map(part)
    }

    /// The members of an object in their order, with decoded names; nil for every other kind, so that an empty object is
    /// told from no object.
    public var members: [(name: String, value: JSONDocument)]? {
        guard kind == .object else { return nil }
        return bytes.withUnsafeBytes { JSONMembers.topLevelMembers(of: $0) }
            .map { ($0.name, part(EnvelopeValue(kind: $0.kind, range: $0.valueRange))) }
    }

    /// The elements of an array in their order; nil for every other kind, an empty object included.
    public var elements: [JSONDocument]? {
        guard kind == .array else { return nil }
        return bytes.withUnsafeBytes { JSONMembers.elements(of: $0) }.map(part)
    }

    /// The decoded text of a string; nil for every other kind.
    public var string: String? {
        bytes.withUnsafeBytes { EnvelopeValue(kind: kind, range: $0.indices).string(in: $0) }
    }

    /// A number as it is written, every digit of it; nil for every other kind.
    public var digits: String? {
        kind == .number ? String(decoding: bytes, as: UTF8.self) : nil
    }

    /// The truth value; nil for every other kind.
    public var bool: Bool? {
        switch kind {
        case .true: true
        case .false: false
        case .object, .array, .string, .number, .null: nil
        }
    }

    public var isNull: Bool { kind == .null }

    private func part(_ value: EnvelopeValue) -> JSONDocument {
        let start = bytes.startIndex + value.range.lowerBound
        return JSONDocument(kind: value.kind, checked: bytes[start..<start + value.range.count])
    }
}
