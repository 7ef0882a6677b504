// SPDX-License-Identifier: Apache-2.0
internal import Siding
internal import SidingJSON

/// Filters and changes of records: `where:`, `drop:`, `set:`, `rename:`.
enum TransformGrammar {
    private static let expectedExpression = "an SQL expression over the record such as state <> 'spam'"

    private static let expression = ValueType<RecordExpression>(expectedExpression, schema: .anyScalar) {
        node, reading in
        guard let text = node.text, !text.isEmpty else { return reading.refuse(node, expected: expectedExpression) }
        do throws(RecordSchemaError) { return try RecordExpression(text) } catch {
            reading.fault("\(reading.subject): \(error)", at: node.place, expected: expectedExpression)
            return nil
        }
    }

    // MARK: where

    private static let path = Keyword("path", .path, isRequired: true, "The path of the value in the record.")
    private static let value = ValueType<String>.text("a text, a number, true or false")
    private static let equals = Keyword("equals", value, "The record is kept if the value is this one.")
    private static let notEquals = Keyword(
        "not_equals", value, "The record is kept if the value is another one or missing.")
    private static let oneOf = Keyword(
        "in", ValueType<[String]>.list(of: value, "a list of texts, numbers, true and false"),
        "The record is kept if the value is one of these.")
    private static let exists = Keyword(
        "exists", .truth, "true: the record is kept if there is a value; false: if there is none.")

    private static let comparison = Shape<RecordExpression>([
        path.entry, equals.entry, notEquals.entry, oneOf.entry, exists.entry,
    ]) { object, reading in
        let comparisons: [RecordExpression.Comparison] = [
            object.value(equals, &reading).map { .equals($0) },
            object.value(notEquals, &reading).map { .notEquals($0) },
            object.value(oneOf, &reading).map { .isOneOf($0) }, object.value(exists, &reading).map { .exists($0) },
        ].compactMap(\.self)
        guard let path = object.value(path, &reading) else { return nil }
        guard comparisons.count == 1 else {
            reading.fault(
                "\(reading.subject) compares \(comparisons.isEmpty ? "with nothing" : "in several ways")",
                at: object.place, expected: "one of equals, not_equals, in, exists")
            return nil
        }
        do throws(RecordSchemaError) { return try RecordExpression(path, comparisons[0]) } catch {
            reading.fault("\(reading.subject): \(error)", at: object.place)
            return nil
        }
    }

    private static let expectedCondition = "\(expectedExpression), or { path: $.state, not_equals: spam }"

    /// The whole of `where:`.
    static let condition = ValueType.scalar(expression, orMap: comparison.type, expectedCondition)

    // MARK: drop, set, rename

    /// All of `drop:`.
    static let dropped = ValueType<[JSONPath]>.list(of: .path, "a list of paths such as [$.body_html]")
        .map { paths, node, reading in checked(RecordTransforms(dropped: paths), node, &reading)?.dropped }

    /// The whole of `set:`.
    static let computed = ValueType<[NamedMember<RecordExpression>]>
        .map(of: expression, "a map of columns such as { total: price * quantity }", atLeast: 1)
        .map { members, node, reading in
            let columns = members.map { ComputedColumn($0.name, $0.value) }
            return checked(RecordTransforms(computed: columns), node, &reading)?.computed
        }

    /// The whole of `rename:`.
    static let renamed = ValueType<[NamedMember<String>]>
        .map(of: .text("the name of a column"), "a map of names such as { html_url: url }", atLeast: 1)
        .map { members, node, reading in
            checked(RecordTransforms(renamed: members.byName()), node, &reading)?.renamed
        }

    private static func checked(
        _ transforms: RecordTransforms, _ node: YAMLNode, _ reading: inout Reading
    ) -> RecordTransforms? {
        do throws(RecordSchemaError) {
            try RecordSchema(transforms: transforms).check()
            return transforms
        } catch {
            reading.fault("\(reading.subject): \(error)", at: node.place)
            return nil
        }
    }
}
