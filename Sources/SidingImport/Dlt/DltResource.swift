// SPDX-License-Identifier: Apache-2.0
/// Converts one of a dlt source's `resources`, with defaults from `resource_defaults`.
struct DltResource {
    let name: String
    private let node: InputNode
    private let defaults: InputNode?
    private let client: InputNode

    /// Nil if it has no name.
    init?(_ node: InputNode, defaults: InputNode?, client: InputNode) {
        let name = node.isScalar ? node.text : node["name"]?.text
        guard let name, node.isMap || node.isScalar else { return nil }
        (self.name, self.node, self.defaults, self.client) = (name, node, defaults, client)
    }

    private static let known: Set<String> = [
        "name", "endpoint", "primary_key", "write_disposition", "columns", "processing_steps", "include_from_parent",
        // These say how dlt loads, not what it fetches.
        "table_name", "max_table_nesting", "parallelized", "table_format", "schema_contract", "references", "selected",
        "merge_key", "file_format", "nested_hints", "section", "parent",
    ]

    private func value(_ name: String) -> InputNode? { node[name] ?? defaults?[name] }

    func add(to imported: inout ImportedConfig, from shared: ImportedSource) {
        imported.noteUnsupported(membersOf: node, but: Self.known)
        imported.noteUnsupported(membersOf: defaults, but: Self.known)
        var source = shared
        let endpoint = DltEndpoint(
            own: node["endpoint"], defaults: defaults?["endpoint"], name: name, origin: node.origin, client: client)
        var resource = endpoint.resource(&source, &imported)
        addKey(&resource, &imported)
        addDisposition(&resource, &imported)
        addColumns(&resource, &imported)
        addSteps(&imported)
        if let selected = value("selected"), selected.truth == false {
            imported.noteUnsupported(
                selected.origin, "dlt fetches it only for its children, but 'siding sync' stores all resources",
                hint: "name the resources in 'siding sync', or leave it: its children need it")
        }
        imported.add(resource, from: source)
    }

    private func addKey(_ resource: inout ImportedResource, _ imported: inout ImportedConfig) {
        let marked = columns.filter { $0.hints["primary_key"]?.truth == true }
        if let key = value("primary_key"), !key.texts.isEmpty {
            let names = key.texts.map(Self.member)
            resource.key =
                names.count == 1
                ? .text(names[0], from: key.origin)
                : ConfigNode(.list(names.map { .text($0, from: key.origin) }), from: key.origin)
        } else if !marked.isEmpty {
            resource.key = ConfigNode(
                .list(marked.map { .text(Self.member($0.name), from: $0.hints.origin) }), from: marked[0].hints.origin)
        } else {
            resource.key = .text("id", from: node.origin)
            imported.noteUnsupported(
                node.origin, "it has no 'primary_key', but every resource needs a key",
                hint: "'id' is used: check whether it is right")
        }
    }

    /// The path of a member; dlt separates nested names by two underscores.
    private static func member(_ name: String) -> String {
        name.contains("__") && !name.hasPrefix("_")
            ? ImportedPath.text(name.split(separator: "__").map(String.init))
            : name.hasPrefix("$") ? ImportedPath.text([name]) : name
    }

    private func addDisposition(_ resource: inout ImportedResource, _ imported: inout ImportedConfig) {
        guard let node = value("write_disposition") else { return }
        let origin = node.origin
        if node["strategy"]?.text == "scd2" { resource.history = .truth(true, from: origin) }
        switch node.text ?? node["disposition"]?.text {
        case "merge", "skip": break
        case "replace": resource.deletes = .texts(["detect": "complete_listing"], from: origin)
        case "append": resource.history = .truth(true, from: origin)
        default: imported.noteUnsupported(origin, "the import does not support this write disposition")
        }
    }

    // MARK: Columns

    private var columns: [(name: String, hints: InputNode)] {
        guard let columns = value("columns") else { return [] }
        if let items = columns.items { return items.compactMap { item in item["name"]?.text.map { ($0, item) } } }
        return columns.members.map { ($0.name, $0.node) }
    }

    private static let types = [
        "text": "text", "double": "real", "bool": "boolean", "timestamp": "datetime", "bigint": "integer",
        "json": "json", "complex": "json", "date": "date", "time": "text", "decimal": "decimal", "wei": "decimal",
    ]

    private func addColumns(_ resource: inout ImportedResource, _ imported: inout ImportedConfig) {
        for column in columns {
            guard let hint = column.hints["data_type"] else { continue }
            guard let type = hint.text.flatMap({ Self.types[$0] }) else {
                imported.noteUnsupported(hint.origin, "the import does not support this data type")
                continue
            }
            let member = Self.member(column.name)
            let value: ConfigNode =
                member == column.name
                ? .text(type, from: hint.origin) : .texts(["type": type, "path": member], from: hint.origin)
            resource.columns.set(column.name, value)
        }
        if !resource.columns.isEmpty {
            resource.remarks.append("The view has only these columns; without 'columns' it has all members.")
        }
    }

    private func addSteps(_ imported: inout ImportedConfig) {
        for (index, step) in (value("processing_steps")?.items ?? []).enumerated() {
            for member in step.members {
                let hint =
                    member.name == "filter"
                    ? "filter in the queries over the view" : "make the change in your own view over this one"
                imported.noteUnsupported(member.node.origin, "step \(index + 1) is Python", hint: hint)
            }
        }
        if let parents = value("include_from_parent") {
            imported.noteUnsupported(
                parents.origin, "records are stored as the origin sends them, without members of their parents",
                hint: "join the views of both")
        }
    }
}
