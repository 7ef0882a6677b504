// SPDX-License-Identifier: Apache-2.0
/// Converts a DefaultPaginator or NoPagination to `paginate`.
struct AirbytePaginator {
    let paginator: AirbyteComponent

    func add(to resource: inout ImportedResource, _ source: String, _ imported: inout ImportedConfig) {
        switch paginator.type {
        case "NoPagination": resource.paginate = .text("none", from: paginator.origin)
        case "DefaultPaginator", nil: addDefault(&resource, source, &imported)
        case let type?: unknown(paginator.origin, "the paginator '\(type.prefix(60))'", &imported)
        }
    }

    private func addDefault(_ resource: inout ImportedResource, _ source: String, _ imported: inout ImportedConfig) {
        imported.noteUnsupported(
            membersOf: paginator.node,
            but: ["type", "pagination_strategy", "page_size_option", "page_token_option", "url_base"])
        guard let strategy = paginator.component("pagination_strategy") else {
            return unknown(paginator.origin, "a paginator without a strategy", &imported)
        }
        let size = size(strategy, source, &imported)
        switch strategy.type {
        case "CursorPagination": addCursor(strategy, size, &resource, &imported)
        case "OffsetIncrement": addOffset(size, &resource, &imported)
        case "PageIncrement": addPage(strategy, size, &resource, &imported)
        case let type: unknown(strategy.origin, "the strategy '\((type ?? "").prefix(60))'", &imported)
        }
    }

    // MARK: Numbers

    private func addOffset(_ size: ConfigNode?, _ resource: inout ImportedResource, _ imported: inout ImportedConfig) {
        guard let option = option("page_token_option", &imported) else { return }
        var map = typed("offset", option)
        if let size, let sizeOption = self.option("page_size_option", isNeeded: false, &imported) {
            if sizeOption.isBody == option.isBody {
                map.set("limit_param", sizeOption.parameter)
                map.set("limit", size)
            } else {
                resource.set(sizeOption, to: size)
            }
        }
        resource.paginate = map.node
    }

    private func addPage(
        _ strategy: AirbyteComponent, _ size: ConfigNode?, _ resource: inout ImportedResource,
        _ imported: inout ImportedConfig
    ) {
        guard let option = option("page_token_option", &imported) else { return }
        var map = typed("page", option)
        map.set(
            "start",
            .number(
                strategy["start_from_page"]?.integer ?? 0, from: strategy["start_from_page"]?.origin ?? strategy.origin)
        )
        if let size {
            if let sizeOption = self.option("page_size_option", isNeeded: false, &imported) {
                if sizeOption.isBody == option.isBody {
                    map.set("size_param", sizeOption.parameter)
                } else {
                    resource.set(sizeOption, to: size)
                }
            }
            map.set("size", size)
        }
        resource.paginate = map.node
    }

    private func size(_ strategy: AirbyteComponent, _ source: String, _ imported: inout ImportedConfig) -> ConfigNode? {
        guard let node = strategy["page_size"], let text = node.text else { return nil }
        let filled = strategy.fill(text, source)
        guard case .literal(let plain) = filled.value, let count = Int(plain.trimmingSpaces) else {
            imported.noteUnsupported(
                node.origin, "the page size depends on the user's configuration", hint: "write it by hand")
            return nil
        }
        return .number(count, from: node.origin)
    }

    // MARK: Tokens

    private func addCursor(
        _ strategy: AirbyteComponent, _ size: ConfigNode?, _ resource: inout ImportedResource,
        _ imported: inout ImportedConfig
    ) {
        if let size, let option = option("page_size_option", isNeeded: false, &imported) {
            resource.set(option, to: size)
        }
        guard let value = strategy["cursor_value"],
            let access = value.text?.inBraces.flatMap({
                AirbyteAccess($0.replacing("last_records[-1]", with: "last_record"))
            })
        else {
            return unknown(
                strategy["cursor_value"]?.origin ?? strategy.origin,
                "a cursor that is not a plain member of the answer", &imported)
        }
        let isPath = paginator.component("page_token_option")?.type == "RequestPath"
        switch (access.root, isPath) {
        case ("headers", true) where access.keys.map({ $0.lowercased() }) == ["link", "next", "url"]:
            resource.paginate = .text("link_header", from: value.origin)
        case ("headers", false) where access.keys.count == 1:
            guard let option = option("page_token_option", &imported) else { return }
            var map = typed("header_cursor", option)
            map.set("header", ConfigNode.text(access.keys[0], from: value.origin).essential)
            resource.paginate = map.node
        case ("response", true):
            var map = typed("next_url")
            map.set("path", access.path.map { ConfigNode.text($0, from: value.origin).essential })
            resource.paginate = map.node
        case ("response", false), ("last_record", false):
            guard let option = option("page_token_option", &imported) else { return }
            var map = typed("cursor", option)
            map.set(
                access.root == "response" ? "path" : "last",
                access.path.map { ConfigNode.text($0, from: value.origin).essential })
            resource.paginate = map.node
        default:
            return unknown(value.origin, "a cursor that is neither a member of the answer nor a next link", &imported)
        }
        if let stop = strategy["stop_condition"] {
            AirbyteStop(stop, token: access).add(to: &resource, &imported)
        }
    }

    // MARK: Parts

    private func typed(_ name: String, _ option: AirbyteOption? = nil) -> ConfigMap {
        var map = ConfigMap(from: paginator.origin)
        map.set("type", ConfigNode.text(name, from: paginator.origin).essential)
        if let option {
            if option.isBody { map.set("in", ConfigNode.text("body", from: option.origin).essential) }
            map.set("param", option.parameter)
        }
        return map
    }

    /// The target of a RequestOption; nil after noting that it is missing or not supported.
    private func option(_ name: String, isNeeded: Bool = true, _ imported: inout ImportedConfig) -> AirbyteOption? {
        guard let option = paginator.component(name) else {
            if isNeeded { unknown(paginator.origin, "a paginator without '\(name)'", &imported) }
            return nil
        }
        guard let place = AirbyteOption(option) else {
            unknown(option.origin, "'\(name)' outside of query and body", &imported)
            return nil
        }
        return place
    }

    private func unknown(_ origin: Origin, _ what: String, _ imported: inout ImportedConfig) {
        imported.noteUnsupported(
            origin, "siding.yaml does not support \(what)",
            hint: "write 'paginate' by hand; without it Siding searches the first page for a next link, URL or cursor")
    }
}
