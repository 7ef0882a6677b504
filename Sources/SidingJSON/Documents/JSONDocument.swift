// SPDX-License-Identifier: Apache-2.0
/// One JSON value, checked as strictly as a record and kept as its original bytes, so that numbers keep all digits and members
/// their order.
///
/// Use it to pass JSON on without knowing its type. The value is valid by RFC 8259 and UTF-8, no object repeats a name, and no
/// string contains half of a surrogate pair, so that every reader sees the same value. There is no tree: each accessor walks
/// the bytes again. A part shares the bytes of the whole and keeps them alive.
///
/// Documents are equal if their bytes are equal: `1.0` is not `1`, and the order of members counts.
public struct JSONDocument: Sendable, Hashable, CustomStringConvertible {
    /// Decided by the first byte: for example `number` for `-1.50`.
    public let kind: JSONKind
    /// The value's bytes without surrounding whitespace. The indices are those of the document it is a part of.
    public let bytes: ArraySlice<UInt8>

    /// Checks and keeps one document; drops whitespace around the value.
    ///
    /// - Throws: ``DocumentFault`` at the first byte that breaks a rule; syntax errors, wherever they are, take precedence.
    public init(_ bytes: [UInt8], limits: JSONLimits = JSONLimits()) throws(DocumentFault) {
        let root = try bytes.span.bytes.withUnsafeBytes { (document) throws(DocumentFault) in
            try Self.read(document, limits: limits)
        }
        self.init(kind: root.kind, checked: bytes[Int(root.start)..<Int(root.end)])
    }

    /// Checks and keeps a document given as text, as in tests and fixtures.
    ///
    /// - Throws: ``DocumentFault``, as for bytes.
    public init(_ text: String, limits: JSONLimits = JSONLimits()) throws(DocumentFault) {
        try self.init(Array(text.utf8), limits: limits)
    }

    /// A value known to be valid: a part of a checked document, or built from such parts.
    init(kind: JSONKind, checked bytes: ArraySlice<UInt8>) {
        self.kind = kind
        self.bytes = bytes
    }

    private static func read(
        _ document: UnsafeRawBufferPointer, limits: JSONLimits
    ) throws(DocumentFault) -> FoundValue {
        guard document.count < Int(UInt32.max) else { throw .tooLarge(bytes: document.count) }
        let (root, noted): (FoundValue, RecordFault?)
        do throws(JSONSyntaxError) {
            (root, noted) = try scan(document, limits: limits)
        } catch {
            throw .syntax(error)
        }
        if let noted { throw .rule(noted) }
        return root
    }

    private static func scan(
        _ document: UnsafeRawBufferPointer, limits: JSONLimits
    ) throws(JSONSyntaxError) -> (FoundValue, RecordFault?) {
        var scanner = try JSONScanner(document, limits: limits)
        var rules = RecordRules(scanner: scanner, tree: PathTree(), limits: limits)
        rules.begin()
        try scanner.record(&rules)
        try scanner.finish()
        return (rules.found[PathTree.root], rules.noted?.fault(in: scanner.start, limits: limits))
    }

    /// The start of the value on one line; see ``excerpt(limit:hiding:)``. Nothing is hidden.
    public var description: String { excerpt() }
}

extension JSONDocument {
    /// The value `null`.
    public static let null = JSONDocument(kind: .null, checked: Array("null".utf8)[...])
    /// `{}`, for an absent value where a consumer needs one; never use it for an empty list.
    public static let emptyObject = JSONDocument(object: [:])

    /// An array of the values, each with its bytes unchanged.
    public init(array elements: [JSONDocument]) {
        var bytes = [UInt8(ascii: "[")]
        bytes.reserveCapacity(elements.reduce(2) { $0 + $1.bytes.count + 1 })
        for (index, element) in elements.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            bytes.append(contentsOf: element.bytes)
        }
        bytes.append(UInt8(ascii: "]"))
        self.init(kind: .array, checked: bytes[...])
    }

    /// An object of the values, sorted by name, so that equal members always give equal bytes.
    public init(object members: [String: JSONDocument]) {
        self.init(members: members.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) })
    }

    /// A JSON string of this text, escaped as RFC 8259 asks.
    public init(string text: String) {
        var writer = JSONWriter()
        writer.string(text)
        self.init(kind: .string, checked: writer.bytes[...])
    }

    /// A JSON number with these digits, without fraction and exponent.
    public init(integer number: some BinaryInteger) {
        self.init(kind: .number, checked: Array(String(number).utf8)[...])
    }

    /// `true` or `false`.
    public init(bool value: Bool) {
        self.init(kind: value ? .true : .false, checked: Array(String(value).utf8)[...])
    }
}

extension JSONDocument {
    /// The value at `path`; nil if there is none. A `null` is a value.
    public func value(at path: JSONPath) -> JSONDocument? {
        bytes.withUnsafeBytes { JSONMembers.value(at: path, in: $0) }.map(part)
    }

    /// The values at `path`, in which `[*]` may stand anywhere: one of each element.
    public func values(at path: JSONPath) -> [JSONDocument] {
        guard let each = path.components.firstIndex(of: .each) else { return value(at: path).map { [$0] } ?? [] }
        let rest = JSONPath(components: Array(path.components[(each + 1)...]))
        let array = value(at: JSONPath(components: Array(path.components[..<each])))
        return (array?.elements ?? []).flatMap { $0.values(at: rest) }
    }

    /// The members of an object in order, with decoded names; nil for every other kind.
    public var members: [(name: String, value: JSONDocument)]? {
        guard kind == .object else { return nil }
        return bytes.withUnsafeBytes { JSONMembers.topLevelMembers(of: $0) }
            .map { ($0.name, part(EnvelopeValue(kind: $0.kind, range: $0.valueRange))) }
    }

    /// The elements of an array in order; nil for every other kind.
    public var elements: [JSONDocument]? {
        guard kind == .array else { return nil }
        return bytes.withUnsafeBytes { JSONMembers.elements(of: $0) }.map(part)
    }

    /// The decoded text of a string; nil for every other kind.
    public var string: String? {
        bytes.withUnsafeBytes { EnvelopeValue(kind: kind, range: $0.indices).string(in: $0) }
    }

    /// The text of a number with all its digits; nil for every other kind.
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

    /// Whether it is the value `null`, which is not the same as a missing member.
    public var isNull: Bool { kind == .null }

    private func part(_ value: EnvelopeValue) -> JSONDocument {
        let start = bytes.startIndex + value.range.lowerBound
        return JSONDocument(kind: value.kind, checked: bytes[start..<start + value.range.count])
    }
}

extension JSONPath {
    /// The names of nested members, outermost first; nil if the path is the root or contains an index or `[*]`.
    public var memberNames: [String]? {
        let names = components.compactMap { component -> String? in
            if case .member(let name) = component { name } else { nil }
        }
        return names.isEmpty || names.count < components.count ? nil : names
    }
}

extension JSONDocument {
    /// The document with `value` at the path of nested members. Missing members and non-objects on the path become objects; all
    /// other members keep their bytes and order, and a new one is added at the end.
    public func setting(_ names: [String], to value: JSONDocument) -> JSONDocument { setting(names[...], to: value) }

    private func setting(_ names: ArraySlice<String>, to value: JSONDocument) -> JSONDocument {
        guard let name = names.first else { return value }
        var members = members ?? []
        let place = members.firstIndex { $0.name.utf8.elementsEqual(name.utf8) }
        let inner = place.map { members[$0].value } ?? .emptyObject
        let member = (name: name, value: inner.setting(names.dropFirst(), to: value))
        if let place { members[place] = member } else { members.append(member) }
        return JSONDocument(members: members)
    }

    /// An object of the values in this order, each with its bytes unchanged.
    private init(members: [(name: String, value: JSONDocument)]) {
        var bytes = [UInt8(ascii: "{")]
        for (name, value) in members {
            if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
            bytes.append(contentsOf: JSONDocument(string: name).bytes)
            bytes.append(UInt8(ascii: ":"))
            bytes.append(contentsOf: value.bytes)
        }
        bytes.append(UInt8(ascii: "}"))
        self.init(kind: .object, checked: bytes[...])
    }
}
