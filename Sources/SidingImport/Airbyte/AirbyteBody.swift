// SPDX-License-Identifier: Apache-2.0
/// Converts the body of an HttpRequester: `request_body`, or one of its older keys.
struct AirbyteBody {
    let requester: AirbyteComponent

    func add(to resource: inout ImportedResource, _ source: String, _ imported: inout ImportedConfig) {
        if let body = requester.component("request_body") {
            switch (body.type, body["value"]) {
            case ("RequestBodyJsonObject", let value?), ("RequestBodyGraphQL", let value?):
                add(value, body, to: &resource, source, &imported)
            case ("RequestBodyUrlEncodedForm", let value?): addForm(value, body, to: &resource, source, &imported)
            case (let type, _):
                imported.noteUnsupported(
                    body.origin, "siding.yaml does not support a body of the type '\((type ?? "").prefix(60))'",
                    hint: "the request is sent without it: write 'body' by hand")
            }
        } else if let json = requester["request_body_json"] {
            add(json, requester, to: &resource, source, &imported)
        } else if let form = requester["request_body_data"] {
            addForm(form, requester, to: &resource, source, &imported)
        }
    }

    private func addForm(
        _ value: InputNode, _ owner: AirbyteComponent, to resource: inout ImportedResource, _ source: String,
        _ imported: inout ImportedConfig
    ) {
        add(value, owner, to: &resource, source, &imported)
        if resource.body != nil { resource.bodyEncoding = .text("form", from: value.origin) }
    }

    private func add(
        _ value: InputNode, _ owner: AirbyteComponent, to resource: inout ImportedResource, _ source: String,
        _ imported: inout ImportedConfig
    ) {
        guard value.isMap else {
            return imported.noteUnsupported(
                value.origin, "siding.yaml does not support a body that is a template or not a map",
                hint: "the request is sent without it: write 'body' by hand")
        }
        resource.body = ConfigNode.copy(value, &imported) { node, imported in
            owner.text(owner.resolved(node), source, &imported)
        }
    }
}

extension AirbyteComponent {
    /// A text inside a list or a body; nil after noting why it cannot be converted.
    func text(_ node: InputNode, _ source: String, _ imported: inout ImportedConfig) -> ConfigNode? {
        let filled = fill(node.text ?? "", source)
        guard case .literal(let text) = filled.value else {
            imported.noteUnsupported(
                node.origin, "the value is a secret, or depends on data that only Airbyte has")
            return nil
        }
        let names = filled.placeholders.map { String($0.dropFirst().dropLast()) }
        return .text(node.isGraphQL ? text.spacingBraces(but: names) : text, from: node.origin)
    }
}
