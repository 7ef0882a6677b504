// SPDX-License-Identifier: Apache-2.0
/// Converts an HttpRequester to a source and a resource.
struct AirbyteRequester {
    let requester: AirbyteComponent

    private static let known: Set<String> = [
        "type", "url_base", "url", "path", "http_method", "request_parameters", "request_headers", "request_body_json",
        "request_body", "request_body_data", "authenticator", "error_handler", "use_cache", "name",
    ]

    /// The source and the resource; nil after noting why the stream is left out.
    func read(
        name: String, _ stream: AirbyteComponent, _ imported: inout ImportedConfig
    ) -> (ImportedSource, ImportedResource)? {
        guard requester.type == nil || requester.type == "HttpRequester" else {
            imported.noteUnsupported(
                requester.origin,
                "a requester of the type '\((requester.type ?? "").prefix(60))'; the stream is left out")
            return nil
        }
        guard let base = requester["url_base"] ?? requester["url"], let text = base.text else {
            imported.noteUnsupported(requester.origin, "the requester has no 'url_base'; the stream is left out")
            return nil
        }
        imported.noteUnsupported(membersOf: requester.node, but: Self.known)
        let isWhole = requester["url_base"] == nil && requester["path"] == nil
        let url = AirbyteURL(text, requester, at: base.origin, isWhole: isWhole, &imported)
        var source = ImportedSource(url: url.text, from: base.origin, of: requester.origin, &imported)
        if let authenticator = requester.component("authenticator") {
            AirbyteAuthenticator(auth: authenticator, baseURL: text).add(to: &source, &imported)
        }
        addHeaders(&source, &imported)
        guard let path = path(url.rest, &source, &imported) else { return nil }
        var resource = ImportedResource(name, path: path, from: stream.origin)
        if let handler = requester.component("error_handler") {
            AirbyteErrorHandler(handler: handler).add(to: &resource, &source, &imported)
        }
        if let method = requester["http_method"], let text = method.text, text.uppercased() != "GET" {
            resource.method = .text(text.uppercased(), from: method.origin)
        }
        addParameters(&resource, &source, &imported)
        AirbyteBody(requester: requester).add(to: &resource, source.name, &imported)
        return (source, resource)
    }

    private func addHeaders(_ source: inout ImportedSource, _ imported: inout ImportedConfig) {
        for member in requester.members("request_headers") {
            guard let text = member.node.text else { continue }
            let filled = requester.fill(text, source.name)
            tell(filled, member.node.origin, &imported)
            if case .literal(let text) = filled.value, !filled.placeholders.isEmpty {
                source.varying.append(
                    ImportedSource.VaryingHeader(
                        name: member.name, text: text, placeholders: filled.placeholders, origin: member.node.origin))
            } else {
                source.addHeader(member.name, filled.value, from: member.node.origin, &imported)
            }
        }
    }

    /// - Parameter rest: the path part of the URL, used if there is no `path`.
    private func path(
        _ rest: String, _ source: inout ImportedSource, _ imported: inout ImportedConfig
    ) -> ConfigNode? {
        guard let node = requester["path"] ?? (rest.isEmpty ? nil : requester["url"]),
            let text = rest.isEmpty ? node.text : rest
        else { return .text("/", from: requester.origin) }
        let filled = requester.fill(text, source.name)
        tell(filled, node.origin, &imported)
        guard filled.unknown == nil, filled.secret == nil else {
            let reason =
                filled.unknown.map { "the path holds '{{ \($0) }}', which only Airbyte can compute" }
                ?? "the path holds a secret, but siding.yaml has secrets only in 'auth'"
            imported.noteUnsupported(
                node.origin, "\(reason); the stream is left out", hint: "write the resource by hand")
            return nil
        }
        for name in filled.missing {
            let placeholder = AirbyteText.placeholder(name.split(separator: ".").last.map(String.init) ?? name)
            imported.noteUnsupported(
                node.origin, "config '\(name.prefix(60))' is set by the user, but siding.yaml has no variables",
                hint: "the path has '\(placeholder)' instead: replace it with the value")
        }
        let plain = source.withoutSecrets(filled.plain, from: node.origin, &imported)
        return .text(plain.hasPrefix("/") || plain.contains("://") ? plain : "/" + plain, from: node.origin)
    }

    private func addParameters(
        _ resource: inout ImportedResource, _ source: inout ImportedSource, _ imported: inout ImportedConfig
    ) {
        if let all = requester["request_parameters"], !all.isMap {
            imported.noteUnsupported(
                all.origin, "siding.yaml does not support parameters that are a template", hint: "write 'query' by hand"
            )
        }
        for member in requester.members("request_parameters") {
            guard let text = member.node.text else {
                guard !SecretWords.holdsSecrets(member.name) else {
                    imported.noteUnsupported(
                        member.node.origin, "a secret inside a value is not copied",
                        hint: "siding.yaml has secrets only in 'auth'")
                    continue
                }
                let (requester, name) = (requester, source.name)
                resource.query.set(
                    member.name,
                    ConfigNode.copy(member.node, &imported) { requester.text($0, name, &$1) })
                continue
            }
            let filled = requester.fill(text, source.name)
            tell(filled, member.node.origin, &imported)
            switch filled.value {
            case .secret(let variable, let prefix):
                source.authorize(
                    member.name, .query, variable, prefix: prefix, isLiteral: false, from: member.node.origin, &imported
                )
            case .unknown(let what):
                imported.noteUnsupported(
                    member.node.origin, "the parameter is \(what.prefix(120))", hint: "write it in 'query' by hand")
            case .literal(let value):
                if value.isEmpty { continue }
                if SecretWords.isSecret(member.name, value), !value.hasPrefix("{") {
                    source.authorize(query: member.name, from: member.node.origin, &imported)
                } else if member.node.value.isPlainNumber || value == "true" || value == "false" {
                    resource.query.set(
                        member.name,
                        ConfigNode(.scalar(value, isPlain: ConfigNode.isNumberOrTruth(value)), from: member.node.origin)
                    )
                } else {
                    resource.query.set(member.name, .text(value, from: member.node.origin))
                }
            }
        }
    }

    private func tell(_ filled: AirbyteText, _ origin: Origin, _ imported: inout ImportedConfig) {
        for name in filled.assumed {
            imported.noteUnsupported(
                origin, "config '\(name.prefix(60))' is set by the user",
                hint: "its default is used: change it by hand")
        }
    }
}
