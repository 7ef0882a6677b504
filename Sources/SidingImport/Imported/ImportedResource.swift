// SPDX-License-Identifier: Apache-2.0
/// A resource converted from dlt or Airbyte, as the values of its entry in siding.yaml.
struct ImportedResource: Sendable {
    var name: String
    let origin: Origin
    /// The name of its source; set when the source is added.
    var source = ""
    var forEach: ConfigNode?
    var path: ConfigNode
    var method: ConfigNode?
    var query: ConfigMap
    var body: ConfigNode?
    /// The encoding of the body; nil for JSON.
    var bodyEncoding: ConfigNode?
    var records: ConfigNode?
    var key: ConfigNode?
    var paginate: ConfigNode?
    var maxPages: ConfigNode?
    var hasMore: ConfigNode?
    var isLast: ConfigNode?
    var cursor: ConfigMap?
    var condition: ConfigNode?
    var drop: [ConfigNode] = []
    var deletes: ConfigNode?
    var history: ConfigNode?
    /// Failure rules for its requests.
    var errors: [ConfigNode] = []
    var columns: ConfigMap
    /// Remarks for the user that are not about missing parts.
    var remarks: [String] = []

    init(_ name: String, path: ConfigNode, from origin: Origin) {
        (self.name, self.path, self.origin) = (name, path, origin)
        query = ConfigMap(from: origin)
        columns = ConfigMap(from: origin)
    }

    /// - Parameter ownErrors: whether its failure rules are written here instead of in its source.
    func node(namingSource isNamed: Bool, ownErrors: Bool) -> ConfigNode {
        var map = ConfigMap(from: origin)
        if isNamed { map.set("source", ConfigNode.text(source, from: origin).essential) }
        // Essential: without one of these the resource would list other records, so it is left out as a whole.
        map.set("for_each", forEach?.essential)
        map.set("path", path.essential)
        map.set("method", method?.essential)
        if !query.isEmpty { map.set("query", query.node) }
        if query.entries.contains(where: { $0.value.isTruth || $0.value.isList }) {
            // As dlt and Airbyte write them: a=1&a=2, and true and false.
            map.set("query_encoding", text: "plain")
        }
        if let body, !body.children.isEmpty {
            map.set("body", body.essential)
            map.set("body_encoding", bodyEncoding?.essential)
        }
        map.set("records", records)
        map.set("key", key)
        map.set("paginate", paginate)
        map.set("stop", stop)
        if let cursor { map.set("cursor", cursor.node) }
        map.set("where", condition)
        if !drop.isEmpty { map.set("drop", ConfigNode(.list(drop), from: drop[0].origin)) }
        map.set("deletes", deletes)
        map.set("history", history)
        if !columns.isEmpty { map.set("columns", columns.node) }
        if ownErrors, let first = errors.first { map.set("errors", ConfigNode(.list(errors), from: first.origin)) }
        return map.node
    }

    /// Removes the parameters and the parts of the body that hold the cursor's placeholders, which have no value without it.
    mutating func dropCursor(askedFor span: String, inBody what: String, _ imported: inout ImportedConfig) {
        let placeholders = ["{cursor}", "{until}"]
        let rest = query.without(placeholders)
        for entry in query.entries where rest[entry.name] == nil {
            imported.noteUnsupported(
                entry.value.origin,
                "the parameter '\(entry.name.prefix(60))' asks for \(span), but no cursor is declared")
        }
        query = rest
        guard let body, placeholders.contains(where: body.flow.contains) else { return }
        // A list element would mean something else without its value, and goes as a whole.
        var elements: [Origin] = []
        self.body = body.replacingTexts { placeholders.contains(where: $0.contains) ? nil : $0 }.withoutLost(&elements)
        imported.noteUnsupported(body.origin, "the body asks for \(what), but no cursor is declared")
    }

    private var stop: ConfigNode? {
        var map = ConfigMap(from: maxPages?.origin ?? hasMore?.origin ?? isLast?.origin ?? origin)
        map.set("max_pages", maxPages)
        map.set("has_more", hasMore)
        map.set("is_last", isLast)
        return map.isEmpty ? nil : map.node
    }
}

extension ConfigNode {
    fileprivate var isTruth: Bool {
        switch content {
        case .scalar(let text, let isPlain): isPlain && (text == "true" || text == "false")
        case .list(let items): items.contains { $0.isTruth }
        case .map: false
        }
    }

    fileprivate var isList: Bool { if case .list = content { true } else { false } }
}
