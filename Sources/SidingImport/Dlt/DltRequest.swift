// SPDX-License-Identifier: Apache-2.0
/// Collects the query, the placeholders and the cursor of a dlt endpoint.
struct DltRequest {
    private let origin: Origin
    private var query: ConfigMap
    /// Placeholders for members of a parent's record.
    private var bindings: [(resource: String, name: String, path: String, origin: Origin)] = []
    private var incremental: InputNode?
    /// The names of placeholders that the file itself defines.
    private let ownNames: Set<String>

    /// - Parameter parameters: the endpoint's; those of type `resolve` define placeholders of their names.
    init(origin: Origin, parameters: [(name: String, node: InputNode)]) {
        self.origin = origin
        ownNames = Set(parameters.filter { $0.node["type"]?.text == "resolve" }.map(\.name))
        query = ConfigMap(from: origin)
    }

    // MARK: Parameters

    mutating func addParameter(
        _ name: String, _ node: InputNode, _ source: inout ImportedSource, _ imported: inout ImportedConfig
    ) {
        switch node["type"]?.text {
        case "resolve": bind(name, node, &imported)
        case "incremental":
            query.set(name, .text("{cursor}", from: node.origin))
            use(node, &imported)
        default: addValue(name, node, &source, &imported)
        }
    }

    private mutating func addValue(
        _ name: String, _ node: InputNode, _ source: inout ImportedSource, _ imported: inout ImportedConfig
    ) {
        guard let text = node.text else {
            guard !SecretWords.holdsSecrets(name) else {
                return imported.noteUnsupported(
                    node.origin, "a secret inside a value is not copied",
                    hint: "siding.yaml has secrets only in 'auth'")
            }
            return query.set(name, ConfigNode.copy(node, &imported) { self.text($0, &$1) })
        }
        switch DltReference.read(text) {
        case .secret(let variable, let prefix):
            source.authorize(name, .query, variable, prefix: prefix, isLiteral: false, from: node.origin, &imported)
        case .unknown(let what):
            imported.noteUnsupported(node.origin, "the parameter holds \(what)", hint: "write it by hand")
        case .literal:
            if SecretWords.isSecret(name, text) {
                return source.authorize(query: name, from: node.origin, &imported)
            }
            let bound = bound(text, from: node.origin)
            let copy = ConfigNode.copy(node, &imported) { node, _ in .text(bound, from: node.origin) }
            query.set(name, copy)
        }
    }

    /// Converts text inside a body or a list; nil after noting a reference.
    mutating func text(_ node: InputNode, _ imported: inout ImportedConfig) -> ConfigNode? {
        guard case .literal(let text) = DltReference.read(node.text ?? "") else {
            imported.noteUnsupported(
                node.origin, "a reference inside a value is not copied",
                hint: "siding.yaml has secrets only in 'auth'")
            return nil
        }
        let bound = bound(text, from: node.origin)
        let names = ["cursor", "until"] + ownNames + bindings.map(\.name)
        return .text(node.isGraphQL ? bound.spacingBraces(but: names) : bound, from: node.origin)
    }

    // MARK: Placeholders

    /// `{resources.parent.field}` and `{incremental.start_value}` as placeholders of Siding's.
    mutating func bound(_ text: String, from origin: Origin) -> String {
        var (out, rest) = ("", text[...])
        while let match = rest.firstMatch(of: /\{(resources|incremental)\.([^{}]{1,200})\}/) {
            out += rest[..<match.range.lowerBound]
            out += placeholder(match.output.1 == "resources", String(match.output.2), origin) ?? String(match.output.0)
            rest = rest[match.range.upperBound...]
        }
        return out + rest
    }

    private mutating func placeholder(_ isParent: Bool, _ inside: String, _ origin: Origin) -> String? {
        guard isParent else {
            return ["start_value", "last_value", "initial_value"].contains(inside)
                ? "{cursor}" : inside == "end_value" ? "{until}" : nil
        }
        guard let dot = inside.firstIndex(of: "."),
            let path = ImportedPath.text(jsonPath: String(inside[inside.index(after: dot)...]))
        else { return nil }
        let field = inside[inside.index(after: dot)...]
        let (parent, plain) = (String(inside[..<dot]), Placeholder.name(for: String(field)))
        func isTaken(_ name: String) -> Bool {
            ownNames.contains(name) || bindings.contains { $0.name == name && ($0.resource, $0.path) != (parent, path) }
        }
        let names = [plain] + (2...(bindings.count + ownNames.count + 2)).map { "\(plain)_\($0)" }
        let name = names.first { !isTaken($0) } ?? plain
        bindings.append((parent, name, path, origin))
        return "{\(name)}"
    }

    /// Converts a param of type `resolve`, which defines a placeholder of the path.
    private mutating func bind(_ name: String, _ node: InputNode, _ imported: inout ImportedConfig) {
        guard let parent = node["resource"]?.text, let field = node["field"]?.text,
            let path = ImportedPath.text(jsonPath: field)
        else { return imported.noteUnsupported(node.origin, "'resolve' needs 'resource' and 'field'") }
        imported.noteUnsupported(membersOf: node, but: ["type", "resource", "field"])
        bindings.append((parent, name, path, node.origin))
    }

    // MARK: Incremental listings

    mutating func addIncremental(_ node: InputNode, _ imported: inout ImportedConfig) {
        if let name = node["start_param"]?.text { query.set(name, .text("{cursor}", from: node.origin)) }
        if let name = node["end_param"]?.text { query.set(name, .text("{until}", from: node.origin)) }
        use(node, &imported)
    }

    private mutating func use(_ node: InputNode, _ imported: inout ImportedConfig) {
        if incremental != nil { return imported.noteUnsupported(node.origin, "a second cursor in one request") }
        incremental = node
        imported.noteUnsupported(
            membersOf: node,
            but: [
                "type", "cursor_path", "initial_value", "start_param", "end_param", "row_order", "lag", "primary_key",
                "range_start", "range_end", "end_value", "convert",
            ])
        if let end = node["end_value"] {
            imported.noteUnsupported(
                end.origin, "dlt's listing ends at this value, but Siding's has no end value",
                hint: "'siding sync --backfill A..B' fetches one span")
        }
        if let convert = node["convert"] {
            imported.noteUnsupported(
                convert.origin, "'convert' is Python that changes the cursor before it is sent",
                hint: "it is sent as in the records; 'format' of 'cursor' changes how times are written")
        }
    }

    /// Adds what was collected to the resource.
    mutating func finish(_ resource: inout ImportedResource, _ imported: inout ImportedConfig) {
        resource.query = query
        addCursor(&resource, &imported)
        if let cursor = resource.cursor {
            resource.openSpans(cursor["type"]?.scalar ?? "datetime", &imported)
        } else {
            resource.dropCursor(askedFor: "a span of changes", inBody: "changes", &imported)
        }
        guard let first = bindings.first else { return }
        var binds = ConfigMap(from: first.origin)
        for binding in bindings {
            guard binding.resource == first.resource else {
                imported.noteUnsupported(
                    binding.origin, "a second parent: 'for_each' takes one parent resource",
                    hint: "take the value from '\(first.resource)' if it has one")
                continue
            }
            binds.set(binding.name, .text(binding.path, from: binding.origin))
        }
        var each = ConfigMap(from: first.origin)
        each.set("resource", ConfigNode.text(first.resource, from: first.origin).essential)
        each.set("bind", binds.node.essential)
        resource.forEach = each.node
    }

    private func addCursor(_ resource: inout ImportedResource, _ imported: inout ImportedConfig) {
        guard let node = incremental else { return }
        guard let place = node["cursor_path"], let path = place.text.flatMap(ImportedPath.text(jsonPath:)) else {
            return imported.noteUnsupported(node.origin, "'cursor_path' is missing, or has several values")
        }
        let order = node["row_order"]?.text
        let carriers = query.entries.map(\.value) + [resource.body].compactMap(\.self)
        guard carriers.contains(where: { $0.flow.contains("{cursor}") }) || order == "desc" else {
            return imported.noteUnsupported(
                node.origin, "no parameter carries the cursor: dlt filters the records after fetching them",
                hint: "each sync fetches everything; unchanged records are not written again")
        }
        var cursor = ConfigMap(from: node.origin)
        cursor.set("path", ConfigNode.text(path, from: place.origin).essential)
        if let start = node["initial_value"], let text = start.text {
            let type = CursorStart.type(of: text, isNumber: start.value.isPlainNumber)
            if type != "datetime" { cursor.set("type", text: type) }
            cursor.set("start", .text(CursorStart.text(text, type), from: start.origin))
        }
        if let lag = node["lag"], let seconds = lag.integer, seconds > 0 {
            cursor.set("lookback", .text("\(seconds)s", from: lag.origin))
        }
        if let order, let row = node["row_order"] { cursor.set("order", .text(order, from: row.origin)) }
        resource.cursor = cursor
    }
}
