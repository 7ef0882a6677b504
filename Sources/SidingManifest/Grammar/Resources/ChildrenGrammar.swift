// SPDX-License-Identifier: Apache-2.0
internal import Siding
internal import SidingJSON

/// Arrays inside records with their own views: `children:`.
enum ChildrenGrammar {
    private static let path = Keyword("path", .elements, isRequired: true, "The path of the array in the record.")
    private static let key = Keyword(
        "key", .keyPart, "What identifies an element within its record: a member, or a JSON path inside the element.")
    private static let columns = Keyword(
        "columns", ColumnGrammar.ofElements,
        "The columns of the view. Without it: the members of the elements.")

    private static let shape = Shape<RecordChildren>([path.entry, key.entry, columns.entry]) { object, reading in
        let (key, columns) = (object.value(key, &reading), object.value(columns, &reading) ?? [])
        guard let path = object.value(path, &reading) else { return nil }
        return RecordChildren("", at: path, key: key, columns: columns)
    }

    /// The whole of `children:`.
    static let all = ValueType<[NamedMember<RecordChildren>]>
        .map(of: shape.type, "a map of arrays such as { labels: { path: \"$.labels[*]\", key: name } }", atLeast: 1)
        .map { members, node, reading in
            var children: [RecordChildren] = []
            for member in members {
                var child = member.value
                child.name = member.name
                do throws(RecordSchemaError) {
                    try RecordSchema(children: children + [child]).check()
                    children.append(child)
                } catch {
                    reading.fault("\(reading.subject): \(error)", at: member.place)
                }
            }
            return children
        }
}

/// What records must conform to: `contract:`.
enum ContractGrammar {
    private enum Refusal: String, Sendable, CaseIterable {
        case quarantine, fail
    }

    private static let newFields = Keyword(
        "new_fields", ValueType<RecordContract.Response>.choice, default: "allow",
        "For members that no record had in the first complete listing and that no column or child names.")
    private static let missingKey = Keyword(
        "missing_key", ValueType<Refusal>.choice, default: "quarantine",
        "For records without a usable key: missing, null, empty, of another type than text or whole number.")
    private static let typeChange = Keyword(
        "type_change", ValueType<RecordContract.Response>.choice, default: "allow",
        "For values whose JSON type differs from their column's or from earlier values. null fits every type.")

    static let shape = Shape<RecordContract>([newFields.entry, missingKey.entry, typeChange.entry]) {
        object, reading in
        RecordContract(
            newFields: object.value(newFields, &reading) ?? .allow,
            missingKey: object.value(missingKey, &reading) == .fail ? .fail : .quarantine,
            typeChange: object.value(typeChange, &reading) ?? .allow)
    }
}
