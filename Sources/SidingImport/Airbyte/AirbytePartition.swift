// SPDX-License-Identifier: Apache-2.0
internal import SidingJSON

/// Converts the partition_router of a retriever: one listing per record of a parent, or per value of a list.
struct AirbytePartition {
    let routers: [AirbyteComponent]
    /// The first parent of the first router.
    let parent: AirbyteParent?
    /// The maximum number of values in a list; each becomes one resource.
    private static let maxValues = 50

    /// The resource with `for_each`, or one resource per value; each with its source.
    func expanded(
        _ resource: ImportedResource, _ source: ImportedSource, _ imported: inout ImportedConfig
    ) -> [(resource: ImportedResource, source: ImportedSource)] {
        if routers.count > 1 {
            imported.noteUnsupported(
                routers[1].origin, "a second partition router",
                hint: "'for_each' takes one parent resource")
        }
        if let router = routers.first, router.type == "ListPartitionRouter" {
            let all = forValues(resource, source, router, &imported)
            if !all.isEmpty { return all }
        }
        var source = source
        source.resolveVaryingHeaders(&imported)
        return [(withRouter(resource, &imported), source)]
    }

    private func withRouter(_ resource: ImportedResource, _ imported: inout ImportedConfig) -> ImportedResource {
        guard let router = routers.first else { return resource }
        switch router.type {
        case "SubstreamPartitionRouter": return withParent(resource, router, &imported)
        case "ListPartitionRouter":
            imported.noteUnsupported(
                router.origin, "the values are not a list of 1 to 50 texts in this file",
                hint: "write a resource for each value")
        case let type:
            imported.noteUnsupported(
                router.origin, "the import does not support the partition router '\((type ?? "").prefix(60))'",
                hint: "write 'for_each' by hand")
        }
        return resource
    }

    private func withParent(
        _ resource: ImportedResource, _ router: AirbyteComponent, _ imported: inout ImportedConfig
    ) -> ImportedResource {
        var resource = resource
        let parents = router.components("parent_stream_configs")
        if parents.count > 1 {
            imported.noteUnsupported(
                parents[1].origin, "a second parent", hint: "'for_each' takes one parent resource")
        }
        guard let parentConfig = parents.first, let key = parentConfig["parent_key"],
            // Airbyte uses dpath, in which a dot is part of a name.
            let path = key.text.map({ $0.split(separator: "/").map(String.init) }), !path.isEmpty,
            let field = parentConfig["partition_field"]?.text, let parent
        else {
            imported.noteUnsupported(
                router.origin, "the router has no parent with 'stream', 'parent_key' and 'partition_field'")
            return resource
        }
        imported.noteUnsupported(
            membersOf: parentConfig.node,
            but: ["type", "stream", "parent_key", "partition_field", "request_option", "incremental_dependency"])
        let placeholder = Placeholder.name(for: field)
        addOption(parentConfig, .text("{\(placeholder)}", from: key.origin), &resource, &imported)
        var (each, binds) = (ConfigMap(from: parentConfig.origin), ConfigMap(from: parentConfig.origin))
        each.set("resource", ConfigNode.text(parent.name, from: parentConfig.origin).essential)
        if let changed = parentConfig["incremental_dependency"], changed.truth == true {
            each.set("where", .text("changed", from: changed.origin))
        }
        // Essential: without the bound value all listings would be equal, so the resource is left out as a whole.
        let stored = parent.stored(path, from: key.origin, &imported)
        binds.set(placeholder, ConfigNode.text(stored, from: key.origin).essential)
        each.set("bind", binds.node.essential)
        resource.forEach = each.node
        return resource
    }

    private func addOption(
        _ router: AirbyteComponent, _ value: ConfigNode, _ resource: inout ImportedResource,
        _ imported: inout ImportedConfig
    ) {
        guard let option = router.component("request_option") else { return }
        guard let place = AirbyteOption(option) else {
            return imported.noteUnsupported(
                option.origin, "siding.yaml can put a value only into path, query or body")
        }
        resource.set(place, to: value)
    }

    // MARK: Lists

    /// One resource per value of a list; empty if the file does not contain the values, or contains too many.
    private func forValues(
        _ resource: ImportedResource, _ source: ImportedSource, _ router: AirbyteComponent,
        _ imported: inout ImportedConfig
    ) -> [(resource: ImportedResource, source: ImportedSource)] {
        guard let list = router["values"]?.items, let field = router["cursor_field"]?.text,
            (1...Self.maxValues).contains(list.count), list.allSatisfy({ $0.text != nil })
        else { return [] }
        let placeholder = "{\(Placeholder.name(for: field))}"
        return list.map { item in
            let value = item.text ?? ""
            var one = resource
            one.name = "\(resource.name)_\(value)"
            one.path = resource.path.replacing(placeholder, with: value)
            one.query = resource.query.replacing(placeholder, with: value)
            one.body = resource.body?.replacing(placeholder, with: value)
            one.remarks.append(
                "One of several resources, one for each value of '\(PlainText.oneLine(field, limit: 60))'.")
            var own = source
            if let option = router.component("request_option"), option["inject_into"]?.text == "header",
                case .literal(let name)? = option["field_name"]?.text.map({ option.fill($0, source.name).value })
            {
                own.addHeader(name, .literal(value), from: item.origin, &imported)
            } else {
                addOption(router, .text(value, from: item.origin), &one, &imported)
            }
            own.resolveVaryingHeaders(&imported, filling: placeholder, with: value)
            return (one, own)
        }
    }
}

extension ConfigNode {
    /// The value with `placeholder` replaced everywhere.
    func replacing(_ placeholder: String, with value: String) -> ConfigNode {
        replacingTexts { $0.replacing(placeholder, with: value) }
    }
}

extension ConfigMap {
    fileprivate func replacing(_ placeholder: String, with value: String) -> ConfigMap {
        var map = ConfigMap(from: origin)
        for entry in entries { map.set(entry.name, entry.value.replacing(placeholder, with: value)) }
        return map
    }
}
