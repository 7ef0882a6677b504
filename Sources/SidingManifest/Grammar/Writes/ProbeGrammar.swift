// SPDX-License-Identifier: Apache-2.0
internal import Siding
internal import SidingChain
internal import SidingJSON

/// Delivery probes, which find out whether a write arrived: `unknown:`.
enum ProbeGrammar {
    private static let probe = Keyword(
        "probe", probeShape.type, isRequired: true,
        "A GET that asks the origin whether a write arrived that must not be sent twice.")
    private static let after = Keyword(
        "after", .duration, default: "30s",
        "A probe that does not find the write counts only this long after the try: the request may still be under way.")
    private static let fallback = Keyword(
        "otherwise", ValueType<WriteProbe.Fallback>.choice, default: "hold",
        "If the probe does not decide. hold: an operator decides; send: the write is sent again.")

    private static let path = Keyword(
        "path", ValueType<String>.text("a path below the source's base_url such as /issues"), isRequired: true,
        "Below the source's base_url; {entry} stands for the entry's id, {key} for its idempotency key, {id} for the record's id."
    )
    private static let query = Keyword("query", parameters, "Query parameters, with the same placeholders.")
    private static let mark = Keyword(
        "mark", .path,
        "The member of body and record with the id. Without it: the name of the query parameter."
    )
    private static let records = Keyword(
        "records", .elements,
        "The path of the records. Without it: the root array or the only array of the root object.")

    static let shape = Shape<WriteProbe>([probe.entry, after.entry, fallback.entry]) { object, reading in
        guard let located = object.located(probe, &reading) else { return nil }
        var probe = located.value
        if let after = object.value(after, &reading) { probe.after = after }
        if let fallback = object.value(fallback, &reading) { probe.fallback = fallback }
        if let fault = probe.fault {
            reading.fault(
                "\(located.subject) \(fault)", at: located.place,
                expected: "{entry} or {key} in path or query, and mark: the member that carries it")
            return nil
        }
        return probe
    }

    private static let probeShape = Shape<WriteProbe>([path.entry, query.entry, mark.entry, records.entry]) {
        object, reading in
        let (mark, records) = (object.value(mark, &reading), object.value(records, &reading))
        let query = object.value(query, &reading) ?? []
        guard let located = object.located(path, &reading) else { return nil }
        let path = located.value
        if let name = SecretNames.secretQueryName(inURL: path) {
            reading.about(located.subject) { $0.refuseSecretName(name, at: located.place) }
        }
        let pairs = query.map { "\(QueryEncoding.escape($0.name))=\(escaped($0.value))" }
        let joint = pairs.isEmpty ? "" : path.contains("?") ? "&" : "?"
        return WriteProbe(
            path + joint + pairs.joined(separator: "&"), mark: mark ?? usualMark(query), records: records)
    }

    /// The default mark: the query parameter of the value, as filters are usually named after the member.
    private static func usualMark(_ query: [NamedMember<String>]) -> JSONPath? {
        query.first {
            ["{entry}", "{key}"].contains($0.value) && $0.name.wholeMatch(of: /[A-Za-z_][A-Za-z0-9_]*/) != nil
        }
        .map { JSONPath(member: $0.name) }
    }

    /// The text percent-encoded except for placeholders in braces.
    private static func escaped(_ text: String) -> String {
        var (escaped, rest) = ("", text[...])
        while let match = rest.firstMatch(of: /\{[^}]*\}/) {
            escaped += QueryEncoding.escape(String(rest[..<match.range.lowerBound])) + match.output
            rest = rest[match.range.upperBound...]
        }
        return escaped + QueryEncoding.escape(String(rest))
    }

    private static let parameters = ValueType<[NamedMember<String>]>
        .map(of: .text("text, which may hold {entry}, {key} or {id}"), "a map of query parameters")
        .map { members, _, reading in
            for member in members { reading.refuseSecretName(member.name, at: member.place) }
            return members
        }
}

/// What to do if someone else changed the record: `conflict:`.
enum ConflictGrammar {
    private static let on = Keyword(
        "on", statuses, default: [409, 412, 428],
        "The statuses that mean a conflict. Those of the default that are left out refuse the write, as other 4xx do.")
    private static let then = Keyword(
        "then", ValueType<ConflictPolicy>.choice, default: "hold",
        "hold: an operator decides; mine: send it over theirs; theirs: drop it; merge: a three-way merge by member."
    )

    static let shape = Shape<ConflictRules>([on.entry, then.entry]) { object, reading in
        ConflictRules(policy: object.value(then, &reading) ?? .hold, statuses: object.value(on, &reading))
    }

    /// Statuses that mean the same for every request, so they cannot mean a conflict.
    private static let taken = [
        401: "asks for a sign-in", 408: "is a timeout", 425: "asks to try later", 429: "asks to wait",
    ]

    private static let statuses = ValueType<[Int]>.list(
        of: .integer(400...499), "a list of statuses such as [409, 412]"
    )
    .map { statuses, node, reading in
        for status in statuses {
            guard let meaning = taken[status] else { continue }
            reading.fault("\(reading.subject) has \(status), which \(meaning)", at: node.place)
        }
        return Set(statuses)
    }
}

/// Which statuses mean a conflict, and how to handle it.
struct ConflictRules: Sendable {
    var policy = ConflictPolicy.hold
    /// Nil for the default statuses.
    var statuses: Set<Int>?
}
