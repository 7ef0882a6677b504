internal import SidingJSON

/// Converts the partition_router of a retriever: one listing per record of a parent, or per value of a list.
struct AirbytePartition {
    private let routers: [AirbyteComponent]
    private let listed: AirbyteParent?
    /// The maximum number of values that become resources of their own.
    private static let mostValues = 50

    /// - Parameter parent: the first parent of the first router.
    init(_ routers: [AirbyteComponent], _ parent: AirbyteParent?) {
        (self.routers, listed) = (routers, parent)
    }

    /// The resource with `for_each`, or one resource per value; each with its source.
    func expanded(
        _ resource: ImportedResource, _ source: ImportedSource, _ manifest: inout ImportedManifest
    ) -> [(resource: ImportedResource, source: ImportedSource)] {
        if routers.count > 1 {
            manifest.leaveOut(
                routers[1].origin, "a second partition router",
                hint: "a resource is listed for each record of one other")
        }
        if let router = routers.first, router.type == "ListPartitionRouter" {
            let all = forValues(resource, source, router, &manifest)
            if !all.isEmpty { return all }
        }
        var source = source
        source.settleHeaders(&manifest)
        return [(withRouter(resource, &manifest), source)]
    }

    private func withRouter(_ resource: ImportedResource, _ manifest: inout ImportedManifest) -> ImportedResource {
        guard let router = routers.first else { return resource }
        switch router.type {
        case "SubstreamPartitionRouter": return withParent(resource, router, &manifest)
        case "ListPartitionRouter":
            manifest.leaveOut(
                router.origin, "the values depend on the user's configuration, or are too many",
                hint: "write a resource for each value")
        case let type:
            manifest.leaveOut(
                router.origin, "siding import does not know the partition router '\((type ?? "").prefix(60))'",
                hint: "write 'for_each' by hand")
        }
        return resource
    }

    private func withParent(
        _ resource: ImportedResource, _ router: AirbyteComponent, _ manifest: inout ImportedManifest
    ) -> ImportedResource {
        var resource = resource
        let parents = router.components("parent_stream_configs")
        if parents.count > 1 {
            manifest.leaveOut(
                parents[1].origin, "a second parent", hint: "a resource is listed for each record of one other")
        }
        guard let parent = parents.first, let key = parent["parent_key"],
            // Airbyte uses dpath, in which a dot is part of a name.
            let path = key.text.map({ $0.split(separator: "/").map(String.init) }), !path.isEmpty,
            let field = parent["partition_field"]?.text, let listed
        else {
            manifest.leaveOut(
                router.origin, "the router names no parent with 'stream', 'parent_key' and 'partition_field'")
            return resource
        }
        manifest.leaveOut(
            membersOf: parent.node,
            but: ["type", "stream", "parent_key", "partition_field", "request_option", "incremental_dependency"])
        let placeholder = DltRequest.placeholderName(field)
        addOption(parent, .text("{\(placeholder)}", from: key.origin), &resource, &manifest)
        var (each, binds) = (ConfigMap(from: parent.origin), ConfigMap(from: parent.origin))
        each.set("resource", ConfigNode.text(listed.name, from: parent.origin).essential)
        if let changed = parent["incremental_dependency"], changed.truth == true {
            each.set("where", .text("changed", from: changed.origin))
        }
        // Essential: if no request uses the value, all listings would be the same, so the grammar refuses the whole resource.
        let stored = listed.stored(path, from: key.origin, &manifest)
        binds.set(placeholder, ConfigNode.text(stored, from: key.origin).essential)
        each.set("bind", binds.node.essential)
        resource.forEach = each.node
        return resource
    }

    private func addOption(
        _ router: AirbyteComponent, _ value: ConfigNode, _ resource: inout ImportedResource,
        _ manifest: inout ImportedManifest
    ) {
        guard let option = router.component("request_option") else { return }
        guard let place = AirbyteOption(option) else {
            return manifest.leaveOut(
                option.origin, "a value outside of path, query and body is not known to siding.yaml")
        }
        resource.set(place, to: value)
    }

    // MARK: Lists

    /// None where the values are not in the file.
    private func forValues(
        _ resource: ImportedResource, _ source: ImportedSource, _ router: AirbyteComponent,
        _ manifest: inout ImportedManifest
    ) -> [(resource: ImportedResource, source: ImportedSource)] {
        guard let list = router["values"]?.items, let field = router["cursor_field"]?.text,
            (1...Self.mostValues).contains(list.count), list.allSatisfy({ $0.text != nil })
        else { return [] }
        let placeholder = "{\(DltRequest.placeholderName(field))}"
        return list.map { item in
            let value = item.text ?? ""
            var one = ImportedResource(
                "\(resource.name)_\(value)", path: resource.path.replacing(placeholder, with: value),
                from: resource.origin)
            one.adopt(resource)
            one.query = resource.query.replacing(placeholder, with: value)
            one.body = resource.body?.replacing(placeholder, with: value)
            one.bodyEncoding = resource.bodyEncoding
            one.remarks.append("One of the resources for the values of '\(PlainText.oneLine(field, limit: 60))'.")
            var own = source
            if let option = router.component("request_option"), option["inject_into"]?.text == "header",
                case .literal(let name)? = option["field_name"]?.text.map({ option.fill($0, source.name).value })
            {
                own.addHeader(name, .literal(value), from: item.origin, &manifest)
            } else {
                addOption(router, .text(value, from: item.origin), &one, &manifest)
            }
            own.settleHeaders(&manifest, filling: placeholder, with: value)
            return (one, own)
        }
    }
}

extension ImportedResource {
    /// Copies everything that does not differ between the values of a list.
    fileprivate mutating func adopt(_ other: ImportedResource) {
        (method, records, key, paginate) = (other.method, other.records, other.key, other.paginate)
        (maxPages, hasMore, isLast) = (other.maxPages, other.hasMore, other.isLast)
        (cursor, condition) = (other.cursor, other.condition)
        (drop, columns, remarks, errors) = (other.drop, other.columns, other.remarks, other.errors)
    }
}

extension ConfigNode {
    /// The value with `placeholder` replaced everywhere.
    func replacing(_ placeholder: String, with value: String) -> ConfigNode {
        var node = self
        switch content {
        case .scalar(let text, let isPlain):
            node.content = .scalar(text.replacing(placeholder, with: value), isPlain: isPlain)
        case .list(let items): node.content = .list(items.map { $0.replacing(placeholder, with: value) })
        case .map(let entries):
            node.content = .map(
                entries.map {
                    ConfigEntry(
                        name: $0.name, value: $0.value.replacing(placeholder, with: value), comments: $0.comments)
                })
        }
        return node
    }
}

extension ConfigMap {
    fileprivate func replacing(_ placeholder: String, with value: String) -> ConfigMap {
        var map = ConfigMap(from: origin)
        for entry in entries { map.set(entry.name, entry.value.replacing(placeholder, with: value)) }
        return map
    }
}
