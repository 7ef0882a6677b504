// SPDX-License-Identifier: Apache-2.0
/// Converts the `endpoint` of a dlt resource, with defaults from `resource_defaults`.
struct DltEndpoint {
    let own: InputNode?
    let defaults: InputNode?
    let name: String
    let origin: Origin
    let client: InputNode

    private static let known: Set<String> = [
        "path", "method", "params", "json", "data", "headers", "paginator", "data_selector", "response_actions",
        "incremental",
    ]

    private func value(_ name: String) -> InputNode? { own?[name] ?? defaults?[name] }

    /// The members of both maps; those of the endpoint win.
    private func merged(_ name: String) -> [(name: String, node: InputNode)] {
        let mine = own?[name]?.members ?? []
        let names = Set(mine.map(\.name))
        return (defaults?[name]?.members ?? []).filter { !names.contains($0.name) } + mine
    }

    func resource(_ source: inout ImportedSource, _ imported: inout ImportedConfig) -> ImportedResource {
        imported.noteUnsupported(membersOf: own, but: Self.known)
        imported.noteUnsupported(membersOf: defaults, but: Self.known)
        var request = DltRequest(origin: origin, parameters: merged("params"))
        var resource = ImportedResource(name, path: path(&request, &source, &imported), from: origin)
        if let method = value("method"), let text = method.text, text.uppercased() != "GET" {
            resource.method = .text(text.uppercased(), from: method.origin)
        }
        for member in merged("params") { request.addParameter(member.name, member.node, &source, &imported) }
        if let incremental = value("incremental") { request.addIncremental(incremental, &imported) }
        let body = merged("json")
        if let node = value("json"), !body.isEmpty {
            if resource.method == nil { resource.method = .text("POST", from: node.origin) }
            let map = InputNode(node.value.replacingEntries(body), path: node.path)
            resource.body = ConfigNode.copy(map, &imported) { request.text($0, &$1) }
        }
        if let data = value("data") {
            imported.noteUnsupported(data.origin, "siding.yaml does not support a body that is not JSON")
        }
        for member in merged("headers") where member.node.text?.contains("{") == true {
            imported.noteUnsupported(
                member.node.origin, "siding.yaml does not support a header field that differs between requests")
        }
        addHeaders(&source, &imported)
        request.finish(&resource, &imported)
        addSelector(&resource, &imported)
        if value("paginator") == nil, isSingleEntity {
            resource.paginate = .text("none", from: pathNode?.origin ?? origin)
        } else if let paginator = value("paginator") ?? client["paginator"] {
            DltPaginator(node: paginator).add(to: &resource, &imported)
        }
        addActions(&resource, &imported)
        return resource
    }

    private var pathNode: InputNode? { own?.isScalar == true ? own : value("path") }

    /// Whether dlt treats the answer as one record: the path ends in a parameter (single_entity_path).
    private var isSingleEntity: Bool {
        (pathNode?.rawText ?? name).firstMatch(of: /\{[A-Za-z_][A-Za-z0-9_.]*\}\/?$/) != nil
    }

    private func path(
        _ request: inout DltRequest, _ source: inout ImportedSource, _ imported: inout ImportedConfig
    ) -> ConfigNode {
        let node = pathNode
        let text = moved(node?.rawText ?? name, from: node?.origin ?? origin, &source, &imported)
        let plain = source.withoutSecrets(text, from: node?.origin ?? origin, &imported)
        let bound = request.bound(plain, from: node?.origin ?? origin)
        let isWhole = bound.hasPrefix("/") || bound.contains("://")
        return .text(isWhole ? bound : "/" + bound, from: node?.origin ?? origin)
    }

    private func addHeaders(_ source: inout ImportedSource, _ imported: inout ImportedConfig) {
        for member in merged("headers") {
            guard let text = member.node.text, !text.contains("{") else { continue }
            source.addHeader(member.name, DltReference.read(text), from: member.node.origin, &imported)
        }
    }

    private func addSelector(_ resource: inout ImportedResource, _ imported: inout ImportedConfig) {
        guard let node = value("data_selector"), let text = node.text else {
            if isSingleEntity { resource.records = .text("$", from: pathNode?.origin ?? origin) }
            return
        }
        guard let path = ImportedPath.text(jsonPath: text) else {
            return imported.noteUnsupported(
                node.origin, "the selector has several places",
                hint: "write 'records' by hand: one array, such as $.items[*]")
        }
        resource.records = .text(path, from: node.origin)
    }

    private func addActions(_ resource: inout ImportedResource, _ imported: inout ImportedConfig) {
        for action in value("response_actions")?.items ?? [] {
            guard action["content"] == nil else {
                imported.noteUnsupported(
                    action.origin, "siding.yaml has no condition on text anywhere in an answer",
                    hint: "write 'errors' of the resource with a 'body' path")
                continue
            }
            guard let status = action["status_code"]?.integer, action["action"]?.text == "ignore" else {
                imported.noteUnsupported(
                    action.origin, "the action is Python, or has no status",
                    hint: "write 'errors' of the resource by hand")
                continue
            }
            resource.errors.append(.rule(statuses: [status], do: "ignore", from: action.origin))
        }
    }
}

extension DltEndpoint {
    /// The path within a source. An absolute URL gets a source for its URL with the client's header fields, and at the client's
    /// origin its sign-in.
    private func moved(
        _ text: String, from origin: Origin, _ source: inout ImportedSource, _ imported: inout ImportedConfig
    ) -> String {
        guard text.utf8.count <= 2000, let match = text.prefixMatch(of: /[A-Za-z]+:\/\/[^\/?#{}]+/),
            let base = source.baseURL.scalar
        else { return text }
        let rest = text[match.range.upperBound...]
        guard rest.isEmpty || rest.hasPrefix("/") || rest.hasPrefix("?") else { return text }
        if text.hasPrefix(base + "/") { return String(text.dropFirst(base.count)) }
        var other = ImportedSource(url: String(match.output), from: origin, of: origin, &imported)
        if let auth = source.auth, other.auth == nil {
            let known = base.prefixMatch(of: /[A-Za-z]+:\/\/[^\/?#]+/)?.output.lowercased()
            if known == match.output.lowercased() {
                other.auth = auth
            } else {
                imported.noteUnsupported(
                    origin, "it is at another origin than the client's, so it does not get the client's sign-in",
                    hint: "give its source its own 'auth' if it needs one")
            }
        }
        other.headers = source.headers
        source = other
        return rest.hasPrefix("?") ? "/" + rest : String(rest)
    }
}
