/// A collection as Siding sees it, whatever format it comes from.
struct ImportedResource: Sendable {
    let name: String
    let origin: Origin
    /// The name of its source, once that is known.
    var source = ""
    var forEach: ConfigNode?
    var path: ConfigNode
    var method: ConfigNode?
    var query: ConfigMap
    var body: ConfigNode?
    /// How the body is written; nil for JSON.
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
    /// What becomes of answers to its own requests.
    var errors: [ConfigNode] = []
    var columns: ConfigMap
    /// What a person should know, though nothing is missing.
    var remarks: [String] = []

    init(_ name: String, path: ConfigNode, from origin: Origin) {
        (self.name, self.path, self.origin) = (name, path, origin)
        query = ConfigMap(from: origin)
        columns = ConfigMap(from: origin)
    }

    /// - Parameter ownErrors: whether its rules stand here, rather than with its source.
    func node(namingSource isNamed: Bool, ownErrors: Bool) -> ConfigNode {
        var map = ConfigMap(from: origin)
        if isNamed { map.set("source", ConfigNode.text(source, from: origin).essential) }
        // Without these it would be another listing.
        map.set("for_each", forEach?.essential)
        map.set("path", path.essential)
        map.set("method", method?.essential)
        if !query.isEmpty { map.set("query", query.node) }
        map.set("query_encoding", encoding)
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

    private var stop: ConfigNode? {
        var map = ConfigMap(from: maxPages?.origin ?? hasMore?.origin ?? isLast?.origin ?? origin)
        map.set("max_pages", maxPages)
        map.set("has_more", hasMore)
        map.set("is_last", isLast)
        return map.isEmpty ? nil : map.node
    }

    /// The programs that are imported from write lists as `a=1&a=2`, and truth values as words.
    private var encoding: ConfigNode? {
        let values = query.entries.map(\.value)
        var map = ConfigMap(from: query.origin)
        if values.contains(where: \.isTruth) { map.set("bool", text: "text") }
        if values.contains(where: \.isList) { map.set("array", text: "plain") }
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
