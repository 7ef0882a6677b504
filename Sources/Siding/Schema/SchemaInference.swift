// SPDX-License-Identifier: Apache-2.0
internal import SidingJSON

/// Counts the fields and types in bodies, without keeping them.
struct SchemaInference {
    /// The maximum depth of nested objects.
    private static let deepest = 4

    private struct MemberNode {
        let path: JSONPath
        let depth: Int
        let declared: ColumnType?
        var children: [[UInt8]: Int] = [:]
        var order: [Int] = []
        var present = 0
        var nulls = 0
        var counts: [ResourceSchema.ValueType: Int] = [:]
        var traits = ResourceSchema.Traits()
    }

    private var nodes = [MemberNode(path: .root, depth: 0, declared: nil)]
    private let declared: [JSONPath: ColumnType]
    private(set) var scanned = 0
    private(set) var isCut = false

    /// - Parameter columns: the declared columns; values that do not fit them are counted.
    init(columns: [RecordColumn]) {
        declared = Dictionary(columns.map { ($0.path, $0.type) }) { first, _ in first }
    }

    mutating func add(_ body: UnsafeRawBufferPointer) {
        scanned += 1
        members(of: body, in: 0)
    }

    private mutating func members(of object: UnsafeRawBufferPointer, in parent: Int) {
        for member in JSONMembers.topLevelMembers(of: object) {
            guard let node = node(of: member, in: parent) else { continue }
            let value = EnvelopeValue(kind: member.kind, range: member.valueRange)
            guard let bytes = value.bytes(in: object) else { continue }
            count(value, member, bytes, at: node)
            if member.kind == .object, nodes[node].depth < Self.deepest { members(of: bytes, in: node) }
        }
    }

    private mutating func node(of member: JSONMember, in parent: Int) -> Int? {
        let name = Array(member.name.utf8)
        if let known = nodes[parent].children[name] { return known }
        guard nodes.count <= ResourceSchema.maxFields else {
            isCut = true
            return nil
        }
        let path = nodes[parent].path.appending(.member(member.name))
        var node = MemberNode(path: path, depth: nodes[parent].depth + 1, declared: declared[path])
        node.traits.isReachable =
            ReachableName.isReachable(member) && (parent == 0 || nodes[parent].traits.isReachable)
        nodes.append(node)
        nodes[parent].children[name] = nodes.count - 1
        nodes[parent].order.append(nodes.count - 1)
        return nodes.count - 1
    }

    private mutating func count(
        _ value: EnvelopeValue, _ member: JSONMember, _ bytes: UnsafeRawBufferPointer, at node: Int
    ) {
        nodes[node].present += 1
        // The same name may be written with escapes in some records and without in others.
        if member.escaped { nodes[node].traits.isReachable = false }
        guard value.kind != .null else {
            nodes[node].nulls += 1
            return
        }
        nodes[node].counts[ResourceSchema.ValueType(member), default: 0] += 1
        let whole = EnvelopeValue(kind: value.kind, range: 0..<bytes.count)
        if let type = nodes[node].declared, !type.fits(whole, in: bytes) { nodes[node].traits.misfits += 1 }
        switch value.kind {
        case .number where member.isInteger && bytes.count > 18:
            if Int64(String(decoding: bytes, as: UTF8.self)) == nil { nodes[node].traits.longIntegers += 1 }
        case .string:
            if Self.isMoment(bytes) { nodes[node].traits.moments += 1 }
            if Self.isDay(bytes) { nodes[node].traits.days += 1 }
            if Self.hasNUL(bytes) { nodes[node].traits.textsWithNUL += 1 }
        case .array:
            if JSONMembers.elements(of: bytes).first?.kind == .object { nodes[node].traits.arraysOfObjects += 1 }
        default: break
        }
    }

    /// Whether a string begins like RFC 3339: a date, `T` or a space, and two digits.
    private static func isMoment(_ string: UnsafeRawBufferPointer) -> Bool {
        let pattern = Array("\"0000-00-00T00".utf8)
        guard string.count > pattern.count else { return false }
        return zip(string, pattern).allSatisfy { byte, wanted in
            switch wanted {
            case UInt8(ascii: "0"): (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            case UInt8(ascii: "T"): byte == wanted || byte == UInt8(ascii: "t") || byte == UInt8(ascii: " ")
            default: byte == wanted
            }
        }
    }

    private static func isDay(_ string: UnsafeRawBufferPointer) -> Bool {
        string.count == 12 && UsualTime.isDay(UnsafeRawBufferPointer(rebasing: string.dropFirst().dropLast()))
    }

    private static func hasNUL(_ string: UnsafeRawBufferPointer) -> Bool {
        guard string.contains(UInt8(ascii: "\\")) else { return false }
        return EnvelopeValue(kind: .string, range: 0..<string.count).string(in: string)?.utf8.contains(0) ?? false
    }

    /// The fields found, each object before its members.
    func fields(
        column: (JSONPath) -> String?, problems: (ResourceSchema.Traits, JSONPath, String?) -> [String]
    ) -> [ResourceSchema.Field] {
        var fields: [ResourceSchema.Field] = []
        var waiting = Array(nodes[0].order.reversed())
        while let index = waiting.popLast() {
            let node = nodes[index]
            waiting += node.order.reversed()
            let name = column(node.path)
            let types = ResourceSchema.ValueType.allCases.compactMap { type in
                node.counts[type].map { ResourceSchema.ValueTypeCount(type: type, count: $0) }
            }
            fields.append(
                ResourceSchema.Field(
                    path: node.path, column: name, types: types, present: node.present, nulls: node.nulls,
                    missing: scanned - node.present, isNew: false, hasNewType: false,
                    problems: problems(node.traits, node.path, name), traits: node.traits))
        }
        return fields
    }
}

extension ResourceSchema.ValueType {
    fileprivate init(_ member: JSONMember) {
        self =
            switch member.kind {
            case .string: .string
            case .number: member.isInteger ? .integer : .real
            case .true, .false, .null: .boolean
            case .object: .object
            case .array: .array
            }
    }
}
