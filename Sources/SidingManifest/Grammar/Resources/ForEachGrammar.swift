// SPDX-License-Identifier: Apache-2.0
internal import Siding
internal import SidingJSON

/// Fan-out: one listing for each record of another resource: `for_each:`.
enum ForEachGrammar {
    private static let resource = Keyword(
        "resource", ValueType<String>.text("the name of another resource"), isRequired: true,
        "The resource whose records are the parents.")
    private static let parents = Keyword(
        "where", choice, default: "all",
        "Which of its records: all, changed (new, changed since, or not complete), or a map with a condition.")
    private static let bind = Keyword(
        "bind", names, isRequired: true,
        "The value of {name} in path, query and body: a member of the parent's record.")
    private static let concurrency = Keyword(
        "concurrency", .integer(ForEach.concurrencies), default: .integer(ForEach.usualConcurrency),
        "How many listings are read at the same time.")

    static let shape = Shape<ForEachDeclaration>([resource.entry, parents.entry, bind.entry, concurrency.entry]) {
        object, reading in
        var declaration = ForEachDeclaration(subject: reading.subject)
        declaration.resource = object.located(resource, &reading)
        declaration.parents = object.value(parents, &reading) ?? .all
        declaration.bindings = object.value(bind, &reading) ?? []
        declaration.concurrency = object.value(concurrency, &reading) ?? ForEach.usualConcurrency
        declaration.names = Set(object.names(in: bind))
        return declaration
    }

    private static let names = ValueType<[NamedMember<JSONPath>]>
        .map(of: .path, "a map such as { number: $.number }", atLeast: 1)
        .map { members, _, reading in
            for member in members {
                let isName = member.name.wholeMatch(of: /[A-Za-z_][A-Za-z0-9_]*/) != nil
                guard !isName || ["cursor", "until"].contains(member.name) else { continue }
                reading.fault(
                    "\(reading.subject) has \(Subject.quoted(member.name)), which "
                        + (isName ? "the cursor uses" : "cannot be used in {braces}"),
                    at: member.place, expected: "a name of letters, digits and _")
            }
            return members
        }

    // MARK: where

    private enum Choice: String, Sendable, CaseIterable {
        case all, changed
    }

    private static let path = Keyword(
        "path", .path, "A member of the parent's record, as SQLite's ->> reads it: true is 1, false is 0.")
    private static let equals = Keyword("equals", value, "Its value. null also matches a missing member.")
    private static let notEquals = Keyword("not_equals", value, "A value that it does not have.")
    private static let query = Keyword(
        "query", ValueType<String>.text("one SELECT whose first column holds keys of the parents"),
        "One statement that reads this database; its first column holds the keys of the parents.")
    private static let changed = Keyword("changed", .truth, default: false, "Only the due ones among these.")

    private static let filter = Shape<ForEach.Parents>([
        path.entry, equals.entry, notEquals.entry, query.entry, changed.entry,
    ]) { object, reading in
        let (path, sql) = (object.value(path, &reading), object.value(query, &reading))
        let (same, other) = (object.value(equals, &reading), object.value(notEquals, &reading))
        let areChanged = object.value(changed, &reading) ?? false
        switch (path, sql, same, other) {
        case (nil, let sql?, nil, nil): return ForEach.Parents(areChanged: areChanged, filter: .query(sql))
        case (let path?, nil, let value?, nil):
            return ForEach.Parents(areChanged: areChanged, filter: .members(.compare(path, .isEqual, value)))
        case (let path?, nil, nil, let value?):
            return ForEach.Parents(areChanged: areChanged, filter: .members(.compare(path, .isNotEqual, value)))
        default:
            let entries = ["path", "equals", "not_equals", "query"].filter { object.entry($0) != nil }
            // Invalid values were noted already.
            let isRead = [path == nil, same == nil, other == nil, sql == nil]
                .elementsEqual(["path", "equals", "not_equals", "query"].map { !entries.contains($0) })
            guard isRead else { return nil }
            reading.fault(
                "\(reading.subject) has no condition", at: object.place,
                expected: "{ path: …, equals: … }, { path: …, not_equals: … } or { query: … }")
            return nil
        }
    }

    private static let choice = ValueType<ForEach.Parents>(
        "all, changed, or a map such as { path: $.state, equals: open }",
        schema: ["anyOf": [ValueType<Choice>.choice.schema, filter.type.schema]]
    ) { node, reading in
        if case .map = node.content { return filter.type.read(node, &reading) }
        return ValueType<Choice>.choice.read(node, &reading).map { $0 == .all ? .all : .changed }
    }

    /// A value as `->>` reads it from a body: true is 1, false is 0.
    private static let value = ValueType<RecordValue>("a scalar", schema: .anyScalar) { node, reading in
        if node.isNull { return .null }
        guard case .scalar(let text, let isPlain) = node.content else {
            return reading.refuse(node, expected: "text, a number, true, false or null")
        }
        guard isPlain else { return .text(text) }
        if let integer = Int64(text), String(integer) == text { return .integer(integer) }
        if text == "true" || text == "false" { return .integer(text == "true" ? 1 : 0) }
        if text.wholeMatch(of: /-?[1-9][0-9]*/) != nil { return .digits(text) }
        if let number = Double(text), number.isFinite, text.first?.isLetter == false { return .real(number) }
        return .text(text)
    }
}
