// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Siding
internal import SidingChain
internal import SidingJSON

/// The writes to one kind of records at the origin: one entry of `writes:`.
enum WriteGrammar {
    private static let source = Keyword(
        "source", ValueType<String>.text("the name of a source"),
        "A name from sources. It may be left out if there is only one.")
    private static let create = Keyword("create", OperationGrammar.create.type, "The request that creates a record.")
    private static let update = Keyword("update", OperationGrammar.update.type, "The request that changes a record.")
    private static let delete = Keyword("delete", OperationGrammar.delete.type, "The request that deletes a record.")
    private static let record = Keyword(
        "record", recordPath,
        "The path of the record in bodies and answers, such as $.ticket. Without it: they are the record.")
    private static let recordPath = ValueType<JSONPath>.path.map { path, node, reading -> JSONPath? in
        if path.memberNames != nil { return path }
        reading.fault(
            "\(reading.subject) is not a member of an object", at: node.place, expected: "a JSON path such as $.ticket")
        return nil
    }
    private static let lane = Keyword(
        "lane", ValueType<String>.text("a name such as issues/{id}"),
        "Writes of one lane are delivered in order. Without it: each record has its own lane.")
    private static let idempotency = Keyword(
        "idempotency", IdempotencyGrammar.shape.type, "The origin's promise to act once per key.")
    private static let conflict = Keyword(
        "conflict", ConflictGrammar.shape.type, "What to do if the record changed at the origin.")
    private static let unknown = Keyword(
        "unknown", ProbeGrammar.shape.type,
        "How to find out whether an uncertain write arrived. Without it: an operator decides.")
    private static let coalesce = Keyword(
        "coalesce", .truth, default: false, "Whether unsent writes to one record are combined.")

    static let shape = Shape<LocatedWrite>([
        source.entry, create.entry, update.entry, delete.entry, record.entry, lane.entry, idempotency.entry,
        conflict.entry, coalesce.entry, unknown.entry,
    ]) { object, reading in
        var write = LocatedWrite(subject: reading.subject)
        write.source = SourceReference(subject: reading.subject, name: object.located(source, &reading))
        let verbs: [(WriteDeclaration.Verb, Keyword<Located<WriteDeclaration.Operation>>)] = [
            (.create, create), (.update, update), (.delete, delete),
        ]
        for (verb, keyword) in verbs { write.operations[verb] = object.value(keyword, &reading) }
        write.record = object.value(record, &reading)
        write.lane = object.value(lane, &reading)
        write.idempotency = object.value(idempotency, &reading)
        write.conflict = object.value(conflict, &reading) ?? ConflictRules()
        write.probe = object.located(unknown, &reading)
        write.coalesces = object.value(coalesce, &reading) ?? false
        if !verbs.contains(where: { object.entry($0.1.name) != nil }) {
            reading.fault(
                "\(reading.subject) declares no request", at: object.place, expected: "create, update or delete")
        }
        return write
    }

    /// The whole of `writes:`.
    static let all = ValueType<[NamedMember<LocatedWrite>]>.map(
        of: shape.type, "a map of writes", each: "writes", checkingNames: checkNames)

    /// Checks names of writes: on the command line a dot separates name and verb.
    private static func checkNames(_ entries: [YAMLEntry], _ reading: inout Reading) {
        for entry in entries where entry.name.wholeMatch(of: /[A-Za-z_][A-Za-z0-9_-]{0,99}/) == nil {
            reading.fault(
                "the name of writes \(Subject.quoted(entry.name)) cannot be used in commands", at: entry.place,
                expected: "a letter, then letters, digits, _ or -")
        }
    }
}

extension WriteDeclaration.Operation {
    /// Whether the path names the record.
    fileprivate var namesRecord: Bool { path.contains(WriteDeclaration.placeholder) }
}

/// A write before it is bound to its source.
struct LocatedWrite: Sendable {
    let subject: Subject
    var source: SourceReference?
    var operations: [WriteDeclaration.Verb: Located<WriteDeclaration.Operation>] = [:]
    var record: JSONPath?
    var lane: String?
    var idempotency: Idempotency?
    var conflict = ConflictRules()
    var probe: Located<WriteProbe>?
    var coalesces = false

    /// The write bound to its source; nil after a fault was noted, here or in the source.
    func declaration(
        named name: String, sources: [String: Source], names: [String], resources: [AnyResource],
        _ reading: inout Reading
    ) -> WriteDeclaration? {
        guard let source = self.source?.resolved(among: names, &reading).flatMap({ sources[$0] }) else { return nil }
        var checked: [WriteDeclaration.Verb: WriteDeclaration.Operation] = [:]
        for (verb, operation) in operations {
            if check(verb, operation, source, &reading) { checked[verb] = operation.value }
        }
        guard checked.count == operations.count else { return nil }
        if let probe { check(probe, source, &reading) }
        let resource = resources.first { $0.name == name && $0.source.name == source.name }
        if let create = operations[.create], !create.value.namesRecord, create.value.idPath == nil,
            resource?.key.contains(.memberName) ?? false
        {
            reading.fault(
                "\(create.subject) creates a record whose key is a member's name", at: create.place,
                expected: "id: the path of the new name in the answer, such as $.name")
        }
        var declaration = WriteDeclaration(name, at: source, operations: checked)
        (declaration.lane, declaration.idempotency, declaration.probe) = (lane, idempotency, probe?.value)
        (declaration.resource, declaration.record, declaration.coalesces) = (resource, record, coalesces)
        (declaration.conflict, declaration.conflictStatuses) = (conflict.policy, conflict.statuses)
        return declaration
    }

    private func check(_ probe: Located<WriteProbe>, _ source: Source, _ reading: inout Reading) {
        let plain = probe.value.path.replacing(/\{[a-z]+\}/, with: "1")
        if plain.prefixMatch(of: /[A-Za-z][A-Za-z0-9+.-]*:\/\//) != nil || plain.contains("#")
            || (try? source.baseURL.appending(path: plain)) == nil
        {
            reading.fault(
                "the path of \(probe.subject) does not make a URL", at: probe.place,
                expected: "a path below the source's base_url such as /issues")
        }
        if let create = operations[.create]?.value, !create.method.isIdempotent, !create.namesRecord,
            probe.value.path.contains(WriteDeclaration.placeholder)
        {
            reading.fault(
                "\(probe.subject) contains {id}, but a record has no id before it is created",
                at: probe.place, expected: "{entry} or {key}")
        }
    }

    private func check(
        _ verb: WriteDeclaration.Verb, _ operation: Located<WriteDeclaration.Operation>, _ source: Source,
        _ reading: inout Reading
    ) -> Bool {
        let path = operation.value.path
        if let name = SecretNames.secretQueryName(inURL: path) {
            reading.about(operation.subject) { $0.refuseSecretName(name, at: operation.place) }
            return false
        }
        let plain = path.replacing(WriteDeclaration.placeholder, with: "1")
        guard path.prefixMatch(of: /[A-Za-z][A-Za-z0-9+.-]*:\/\//) == nil, !plain.contains("{"), !plain.contains("#"),
            (try? source.baseURL.appending(path: plain)) != nil
        else {
            reading.fault(
                "\(operation.subject) does not make a URL", at: operation.place,
                expected: "a path below the source's base_url such as /issues/{id}")
            return false
        }
        guard verb == .create || operation.value.namesRecord else {
            reading.fault(
                "\(operation.subject) does not identify a record", at: operation.place, expected: "a path with {id}")
            return false
        }
        // RFC 9110 §9.3.3: the origin names the result of a POST. A client that chooses the name sends a PUT (§9.3.4).
        guard verb != .create || operation.value.method != .post || !operation.value.namesRecord else {
            reading.fault(
                "\(operation.subject) contains {id}, but the origin chooses the id of a record that a POST creates",
                at: operation.place,
                expected: "a path without {id}; or method: PUT, where you give the record's id when you create it")
            return false
        }
        return true
    }
}
