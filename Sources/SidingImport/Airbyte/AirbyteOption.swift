// SPDX-License-Identifier: Apache-2.0
/// A RequestOption: where in a request a value is sent.
struct AirbyteOption {
    let origin: Origin
    /// Whether the value is a member of a JSON body instead of a query parameter.
    let isBody: Bool
    /// The name of the parameter, or the path of the member.
    let names: [String]

    /// Nil for header fields, forms, paths, and names that depend on the user's configuration.
    init?(_ option: AirbyteComponent) {
        switch option["inject_into"]?.text {
        case "request_parameter": isBody = false
        case "body_json": isBody = true
        default: return nil
        }
        let parts = isBody ? option["field_path"] ?? option["field_name"] : option["field_name"]
        names = (parts?.itemsOrSelf ?? []).compactMap { part in
            guard case .literal(let plain) = option.fill(part.text ?? "", "").value, !plain.isEmpty else { return nil }
            return plain
        }
        origin = parts?.origin ?? option.origin
        guard !names.isEmpty, names.count == parts?.itemsOrSelf.count else { return nil }
    }

    /// The value of `param` in `paginate`.
    var parameter: ConfigNode {
        let isPlain = names.count == 1 && !names[0].hasPrefix("$")
        return ConfigNode.text(isPlain || !isBody ? names[0] : ImportedPath.text(names), from: origin).essential
    }
}

extension ImportedResource {
    /// Sends `value` with each request, as `option` says.
    mutating func set(_ option: AirbyteOption, to value: ConfigNode) {
        guard option.isBody else { return query.set(option.names[0], value) }
        body = (body ?? ConfigMap(from: option.origin).node).setting(option.names[...], to: value)
    }
}

extension ConfigNode {
    /// The value with `value` at the member path `names`; missing maps are created.
    func setting(_ names: ArraySlice<String>, to value: ConfigNode) -> ConfigNode {
        guard let first = names.first else { return value }
        var entries: [ConfigEntry] = []
        if case .map(let known) = content { entries = known }
        let index = entries.firstIndex { $0.name == first }
        let inner = (index.map { entries[$0].value } ?? ConfigMap(from: value.origin).node)
            .setting(names.dropFirst(), to: value)
        if let index { entries[index].value = inner } else { entries.append(ConfigEntry(name: first, value: inner)) }
        var node = self
        node.content = .map(entries)
        return node
    }
}
