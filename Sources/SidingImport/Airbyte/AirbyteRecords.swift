// SPDX-License-Identifier: Apache-2.0
/// Converts the record_selector of a retriever, and the transformations of a stream.
struct AirbyteRecords {
    let selector: AirbyteComponent?
    let stream: AirbyteComponent
    let additions: AirbyteAdditions

    func add(to resource: inout ImportedResource, _ imported: inout ImportedConfig) {
        for step in stream.components("transformations") { addStep(step, &resource, &imported) }
        guard let selector else { return }
        imported.noteUnsupported(
            membersOf: selector.node,
            but: ["type", "extractor", "record_filter", "schema_normalization", "transform_before_filtering"])
        if let extractor = selector.component("extractor") { addExtractor(extractor, &resource, &imported) }
        if let filter = selector.component("record_filter") { addFilter(filter, &resource, &imported) }
    }

    private func addExtractor(
        _ extractor: AirbyteComponent, _ resource: inout ImportedResource, _ imported: inout ImportedConfig
    ) {
        guard extractor.type == nil || extractor.type == "DpathExtractor", let field = extractor["field_path"] else {
            return imported.noteUnsupported(
                extractor.origin, "the import does not support this extractor", hint: "write 'records' by hand")
        }
        let parts = (field.items ?? [field]).map { part in extractor.fill(part.text ?? "", "").value }
        let names = parts.compactMap { part in if case .literal(let name) = part { name } else { nil } }
        let last = names.last == "*" ? Array(names.dropLast()) : names
        guard names.count == parts.count, !last.contains(where: { $0.isEmpty || $0.contains("*") }) else {
            return imported.noteUnsupported(
                field.origin, "the path has several places",
                hint: "write 'records' by hand: one array, such as $.items[*]")
        }
        // Without names the path is the whole answer. With [*] it must be an array, without it may also be one record.
        let path = last.isEmpty ? "$" : ImportedPath.text(last)
        resource.records = .text(names.last == "*" ? path + "[*]" : path, from: field.origin)
    }

    private func addFilter(
        _ filter: AirbyteComponent, _ resource: inout ImportedResource, _ imported: inout ImportedConfig
    ) {
        guard let node = filter["condition"], let predicate = node.text.flatMap({ AirbytePredicate($0) }),
            predicate.access.root == "record", let path = predicate.access.path, !predicate.isPart
        else {
            return imported.noteUnsupported(
                filter.origin, "the import supports only a condition that compares a member with a text",
                hint: "all records are kept: filter in the queries over the view")
        }
        resource.condition = .texts(
            ["path": path, predicate.isNegated ? "not_equals" : "equals": predicate.text], from: node.origin)
    }

    private func addStep(
        _ step: AirbyteComponent, _ resource: inout ImportedResource, _ imported: inout ImportedConfig
    ) {
        guard step.type == "RemoveFields", step["condition"] == nil, let pointers = step["field_pointers"]?.items else {
            return imported.noteUnsupported(
                step.origin, "records are stored as the origin sends them",
                hint: "make the change in 'columns' or in your own view over this one")
        }
        for pointer in pointers {
            let names = pointer.texts
            guard !names.isEmpty, !names.contains(where: { $0.contains("*") }) else {
                imported.noteUnsupported(pointer.origin, "the pointer has several targets")
                continue
            }
            guard !additions.copies(from: names) else {
                imported.noteUnsupported(
                    pointer.origin,
                    "AddFields copies members from there, but records are stored as the origin sends them",
                    hint: "they are stored where they are; 'drop' can remove them")
                continue
            }
            resource.drop.append(.text(ImportedPath.text(names), from: pointer.origin))
        }
    }
}

/// Converts a schema_loader to `columns`. Without an inline schema nothing is lost: columns follow the records.
struct AirbyteSchema {
    let loader: AirbyteComponent
    let additions: AirbyteAdditions

    func add(to resource: inout ImportedResource) {
        guard loader.type == "InlineSchemaLoader", let schema = loader.component("schema") else { return }
        for member in schema.members("properties").prefix(500) {
            guard let type = Self.type(member.node) else { continue }
            let origin = member.node.origin
            if case .copied(let path) = additions.place(of: [member.name]) {
                resource.columns.set(member.name, .texts(["type": type, "path": path], from: origin))
            } else {
                resource.columns.set(member.name, .text(type, from: origin))
            }
        }
    }

    /// The column type; `json` if the schema allows several types.
    private static func type(_ node: InputNode) -> String? {
        let types = (node["type"]?.texts ?? []).filter { $0 != "null" }
        guard types.count == 1 else { return "json" }
        switch types[0] {
        case "string":
            switch node["format"]?.text {
            case "date-time": return "datetime"
            case "date": return "date"
            default: return "text"
            }
        case "integer": return "integer"
        case "number": return "real"
        case "boolean": return "boolean"
        default: return "json"
        }
    }
}
