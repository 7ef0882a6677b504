// SPDX-License-Identifier: Apache-2.0
/// Converts `paginator` of a dlt client or endpoint.
struct DltPaginator {
    let node: InputNode

    /// Sets the pagination of `resource`.
    func add(to resource: inout ImportedResource, _ imported: inout ImportedConfig) {
        switch node.isScalar ? node.text : node["type"]?.text {
        case "auto": break
        case "single_page": resource.paginate = .text("none", from: node.origin)
        case "json_link", "json_response": link(&resource, &imported)
        case "header_link": headerLink(&resource, &imported)
        case "cursor": cursor(&resource, &imported)
        case "header_cursor": headerCursor(&resource, &imported)
        case "page_number": pages(&resource, &imported)
        case "offset": offsets(&resource, &imported)
        default:
            imported.noteUnsupported(
                node.origin, "the import does not support this paginator",
                hint: "without 'paginate' Siding searches the first page for a next link, URL or cursor")
        }
    }

    private func link(_ resource: inout ImportedResource, _ imported: inout ImportedConfig) {
        imported.noteUnsupported(membersOf: node, but: ["type", "next_url_path"])
        var map = typed("next_url")
        guard path("next_url_path", usual: "next", into: &map, &imported) else { return }
        resource.paginate = map.node
    }

    private func headerLink(_ resource: inout ImportedResource, _ imported: inout ImportedConfig) {
        imported.noteUnsupported(membersOf: node, but: ["type", "links_next_key"])
        if let key = node["links_next_key"], key.text != "next" {
            return imported.noteUnsupported(key.origin, "only rel=next of the Link header is followed")
        }
        resource.paginate = .text("link_header", from: node.origin)
    }

    private func cursor(_ resource: inout ImportedResource, _ imported: inout ImportedConfig) {
        imported.noteUnsupported(membersOf: node, but: ["type", "cursor_path", "cursor_param", "cursor_body_path"])
        var map = typed("cursor")
        guard path("cursor_path", usual: "cursors.next", into: &map, &imported) else { return }
        if let body = node["cursor_body_path"] {
            map.set("in", ConfigNode.text("body", from: node.origin).essential)
            guard self.body("param", body, into: &map, &imported) else { return }
        } else {
            map.set("param", text: node["cursor_param"]?.text ?? "cursor")
            assume("cursor_param", "cursor", &imported)
        }
        resource.paginate = map.node
    }

    private func headerCursor(_ resource: inout ImportedResource, _ imported: inout ImportedConfig) {
        imported.noteUnsupported(membersOf: node, but: ["type", "cursor_key", "cursor_param"])
        var map = typed("header_cursor")
        map.set("header", text: node["cursor_key"]?.text ?? "next")
        map.set("param", text: node["cursor_param"]?.text ?? "cursor")
        resource.paginate = map.node
    }

    private func pages(_ resource: inout ImportedResource, _ imported: inout ImportedConfig) {
        // Siding ends the listing at an empty page, so the total is not needed.
        imported.noteUnsupported(
            membersOf: node,
            but: [
                "type", "base_page", "page", "page_param", "page_body_path", "total_path", "maximum_page",
                "stop_after_empty_page", "has_more_path",
            ])
        let start = node["page"]?.integer ?? node["base_page"]?.integer ?? 0
        var map = typed("page")
        if let body = node["page_body_path"] {
            map.set("in", ConfigNode.text("body", from: node.origin).essential)
            guard self.body("param", body, into: &map, &imported) else { return }
        } else {
            map.set("param", text: node["page_param"]?.text)
        }
        map.set("start", number: start)
        resource.paginate = map.node
        if let most = node["maximum_page"], let last = most.integer {
            resource.maxPages = .number(
                max(last.subtractingReportingOverflow(start).partialValue, 1), from: most.origin)
        }
        ends(&resource, &imported)
    }

    private func offsets(_ resource: inout ImportedResource, _ imported: inout ImportedConfig) {
        imported.noteUnsupported(
            membersOf: node,
            but: [
                "type", "limit", "offset", "offset_param", "limit_param", "offset_body_path", "limit_body_path",
                "total_path", "maximum_offset", "stop_after_empty_page", "has_more_path",
            ])
        var map = typed("offset")
        if node["offset_body_path"] != nil || node["limit_body_path"] != nil {
            map.set("in", ConfigNode.text("body", from: node.origin).essential)
            for (name, path) in [("param", "offset_body_path"), ("limit_param", "limit_body_path")] {
                guard let body = node[path] else { continue }
                guard self.body(name, body, into: &map, &imported) else { return }
            }
        } else {
            map.set("param", text: node["offset_param"]?.text)
            map.set("limit_param", text: node["limit_param"]?.text)
        }
        map.set("start", number: node["offset"]?.integer)
        map.set("limit", number: node["limit"]?.integer)
        resource.paginate = map.node
        if let most = node["maximum_offset"], let last = most.integer {
            guard let limit = node["limit"]?.integer, limit > 0, last > 0 else {
                return imported.noteUnsupported(most.origin, "without 'limit' the number of pages is unknown")
            }
            let records = last.subtractingReportingOverflow(max(node["offset"]?.integer ?? 0, 0)).partialValue
            resource.maxPages = .number(max((records - 1) / limit + 1, 1), from: most.origin)
        }
        ends(&resource, &imported)
    }

    private func ends(_ resource: inout ImportedResource, _ imported: inout ImportedConfig) {
        if let more = node["has_more_path"] {
            if let path = more.text.flatMap(ImportedPath.text(jsonPath:)) {
                resource.hasMore = .text(path, from: more.origin)
            } else {
                imported.noteUnsupported(more.origin, "the path has several values, or none")
            }
        }
        if let stop = node["stop_after_empty_page"], stop.truth == false {
            imported.noteUnsupported(stop.origin, "numbered pages end with the first empty one")
        }
    }

    // MARK: Parts

    private func typed(_ name: String) -> ConfigMap {
        var map = ConfigMap(from: node.origin)
        map.set("type", ConfigNode.text(name, from: node.origin).essential)
        return map
    }

    /// Sets `path`; false after noting that it cannot be converted.
    private func path(
        _ name: String, usual: String, into map: inout ConfigMap, _ imported: inout ImportedConfig
    ) -> Bool {
        let place = node[name]
        guard let path = ImportedPath.text(jsonPath: place?.text ?? usual) else {
            imported.noteUnsupported(place?.origin ?? node.origin, "the path has several values, or none")
            return false
        }
        map.set("path", ConfigNode.text(path, from: place?.origin ?? node.origin).essential)
        return true
    }

    private func assume(_ name: String, _ usual: String, _ imported: inout ImportedConfig) {
        guard node[name] == nil else { return }
        imported.noteUnsupported(
            node.origin, "'\(name)' is missing, and dlt's default differs between releases",
            hint: "'\(usual)' is used: check its name at the origin")
    }

    /// Sets a member of the body for a parameter; false after noting that it cannot be converted.
    private func body(
        _ name: String, _ path: InputNode, into map: inout ConfigMap, _ imported: inout ImportedConfig
    ) -> Bool {
        guard let text = path.text.flatMap(ImportedPath.text(jsonPath:)) else {
            imported.noteUnsupported(path.origin, "the path has several values, or none")
            return false
        }
        map.set(name, ConfigNode.text(text, from: path.origin).essential)
        return true
    }
}
