// SPDX-License-Identifier: Apache-2.0
internal import Siding
internal import SidingJSON

/// The columns of a view: `columns:`.
enum ColumnGrammar {
    /// A column type as written in the config; ``ColumnType`` includes the format.
    private enum TypeName: String, Sendable, CaseIterable {
        case integer, real, decimal, text, boolean, datetime, date, json
    }

    private static let type = Keyword(
        "type", ValueType<TypeName>.choice,
        "The type of the values. A value of another type is shown unchanged. Without it: all values are.")
    private static let path = Keyword(
        "path", .path, "The path of the value. Without it: the member with the column's name.")
    private static let format = Keyword(
        "format", ValueType<ColumnType.TimeFormat>.choice, default: "rfc3339",
        "How the origin writes a datetime; epoch is seconds since 1970.")
    private static let index = Keyword(
        "index", .truth, default: false, "Whether the column has an index: faster queries, slower writes.")

    private static func shape(isIndexable: Bool) -> Shape<Declaration> {
        let keywords = [type.entry, path.entry, format.entry]
        return Shape(isIndexable ? keywords + [index.entry] : keywords, build: declaration)
    }

    private static func declaration(_ object: ObjectReader, _ reading: inout Reading) -> Declaration? {
        var declaration = Declaration()
        let word = object.value(type, &reading)
        let format = object.located(format, &reading)
        if let format, word != .datetime {
            reading.fault("\(format.subject) is only for the type datetime", at: format.place)
        }
        declaration.type = word.map { columnType($0, format?.value) } ?? .any
        declaration.path = object.value(path, &reading)
        declaration.isIndexed = object.value(index, &reading) ?? false
        return declaration
    }

    /// The declaration of one column.
    private struct Declaration: Sendable {
        var type = ColumnType.any
        var path: JSONPath?
        var isIndexed = false
    }

    private static let expected =
        "a type (\(TypeName.allCases.map(\.rawValue).joined(separator: ", "))), a JSON path such as $.user.login, or "
        + "{ type, path, index }"

    private static func column(isIndexable: Bool) -> ValueType<Declaration> {
        let shape = Self.shape(isIndexable: isIndexable)
        let types: [SchemaValue] = [ValueType<TypeName>.choice.schema, ValueType<JSONPath>.path.schema, shape.schema()]
        return ValueType(expected, schema: ["anyOf": .list(types)]) { node, reading in
            switch node.content {
            case .map: return shape.type.read(node, &reading)
            case .scalar where node.text?.hasPrefix("$") == true:
                return ValueType<JSONPath>.path.read(node, &reading).map { Declaration(path: $0) }
            case .scalar where !node.isNull:
                return word.read(node, &reading).map { Declaration(type: columnType($0, nil)) }
            default: return reading.refuse(node, expected: expected)
            }
        }
    }

    private static let word = ValueType<TypeName>.scalar(expected, schema: [:]) { text, _ in
        TypeName(rawValue: text).map { .value($0) }
            ?? .refused(suggestion: Suggestion.nearest(to: text, among: TypeName.allCases.map(\.rawValue)))
    }

    private static func columnType(_ name: TypeName, _ format: ColumnType.TimeFormat?) -> ColumnType {
        switch name {
        case .integer: .integer
        case .real: .real
        case .decimal: .decimal
        case .text: .text
        case .boolean: .boolean
        case .datetime: .datetime(format ?? .rfc3339)
        case .date: .date
        case .json: .json
        }
    }

    /// The whole of `columns:`.
    static let all = columns(isIndexable: true)
    /// The `columns:` of children, whose elements cannot be indexed.
    static let ofElements = columns(isIndexable: false)

    private static func columns(isIndexable: Bool) -> ValueType<[RecordColumn]> {
        let members = ValueType<[NamedMember<Declaration>]>.map(
            of: column(isIndexable: isIndexable),
            "a map of columns such as { id: integer, author: $.user.login }", atLeast: 1)
        return members.map { members, _, reading in checked(members, &reading) }
    }

    private static func checked(_ members: [NamedMember<Declaration>], _ reading: inout Reading) -> [RecordColumn] {
        var columns: [RecordColumn] = []
        let most = RecordSchema.maxColumns
        if members.count > most {
            reading.fault("\(reading.subject): \(members.count) columns are more than \(most)", at: members[most].place)
        }
        for member in members.prefix(most) {
            let column = RecordColumn(
                member.name, member.value.type, at: member.value.path, isIndexed: member.value.isIndexed)
            do throws(RecordSchemaError) {
                try RecordSchema(columns: columns + [column]).check()
                columns.append(column)
            } catch {
                reading.fault("\(reading.subject): \(error)", at: member.place)
            }
        }
        return columns
    }
}
