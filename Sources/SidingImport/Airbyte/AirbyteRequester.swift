/// An HttpRequester.
struct AirbyteRequester {
    private let requester: AirbyteComponent

    init(_ requester: AirbyteComponent) {
        self.requester = requester
    }

    private static let known: Set<String> = [
        "type", "url_base", "url", "path", "http_method", "request_parameters", "request_headers", "request_body_json",
        "authenticator", "error_handler", "use_cache", "name",
    ]

    /// The origin and the collection; nil where there is no URL, which has then been noted.
    func read(
        name: String, _ stream: AirbyteComponent, _ manifest: inout ImportedManifest
    ) -> (ImportedSource, ImportedResource)? {
        guard requester.type == nil || requester.type == "HttpRequester" else {
            manifest.leaveOut(
                requester.origin,
                "a requester of the type '\((requester.type ?? "").prefix(60))'; the stream is left out")
            return nil
        }
        guard let base = requester["url_base"] ?? requester["url"], let text = base.text else {
            manifest.leaveOut(requester.origin, "the requester has no 'url_base'; the stream is left out")
            return nil
        }
        manifest.leaveOut(membersOf: requester.node, but: Self.known)
        let isWhole = requester["url_base"] == nil && requester["path"] == nil
        let url = AirbyteURL(text, requester, at: base.origin, isWhole: isWhole, &manifest)
        var source = ImportedSource(url: url.text, from: base.origin, of: requester.origin, &manifest)
        if let authenticator = requester.component("authenticator") {
            AirbyteAuthenticator(authenticator, baseURL: text).add(to: &source, &manifest)
        }
        addHeaders(&source, &manifest)
        guard let path = path(url.rest, &source, &manifest) else { return nil }
        var resource = ImportedResource(name, path: path, from: stream.origin)
        if let handler = requester.component("error_handler") {
            AirbyteErrorHandler(handler).add(to: &resource, &source, &manifest)
        }
        if let method = requester["http_method"], let text = method.text, text.uppercased() != "GET" {
            resource.method = .text(text.uppercased(), from: method.origin)
        }
        addParameters(&resource, &source, &manifest)
        if let body = requester["request_body_json"] {
            if body.isMap {
                let name = source.name
                let requester = requester
                resource.body = ConfigNode.copy(body, &manifest) { node, manifest in
                    Self.text(requester.resolved(node), requester, name, &manifest)
                }
            } else {
                manifest.leaveOut(body.origin, "a body that is a template is not known to siding.yaml")
            }
        }
        return (source, resource)
    }

    private func addHeaders(_ source: inout ImportedSource, _ manifest: inout ImportedManifest) {
        for member in requester.members("request_headers") {
            guard let text = member.node.text else { continue }
            let filled = requester.fill(text, source.name)
            tell(filled, member.node.origin, &manifest)
            source.addHeader(member.name, filled.value, from: member.node.origin, &manifest)
        }
    }

    /// - Parameter rest: what of the URL is the path, where there is no `path`.
    private func path(
        _ rest: String, _ source: inout ImportedSource, _ manifest: inout ImportedManifest
    ) -> ConfigNode? {
        guard let node = requester["path"] ?? (rest.isEmpty ? nil : requester["url"]),
            let text = rest.isEmpty ? node.text : rest
        else { return .text("/", from: requester.origin) }
        let filled = requester.fill(text, source.name)
        tell(filled, node.origin, &manifest)
        guard case .literal(let whole) = filled.value else {
            manifest.leaveOut(
                node.origin, "the path depends on something that only Airbyte knows; the stream is left out",
                hint: "write the resource by hand")
            return nil
        }
        let (plain, names) = ImportedURL.withoutSecrets(whole)
        for name in names {
            source.authorize(
                name, .query, SecretNaming.variable(source.name, name), prefix: "", isLiteral: true, from: node.origin,
                &manifest)
        }
        return .text(plain.hasPrefix("/") || plain.contains("://") ? plain : "/" + plain, from: node.origin)
    }

    private func addParameters(
        _ resource: inout ImportedResource, _ source: inout ImportedSource, _ manifest: inout ImportedManifest
    ) {
        if let all = requester["request_parameters"], !all.isMap {
            manifest.leaveOut(
                all.origin, "parameters that are a template are not known to siding.yaml", hint: "write 'query' by hand"
            )
        }
        for member in requester.members("request_parameters") {
            guard let text = member.node.text else {
                guard !SecretWords.holdsSecrets(member.name) else {
                    manifest.leaveOut(
                        member.node.origin, "a secret inside a value is not copied",
                        hint: "siding.yaml holds secrets in 'auth' alone")
                    continue
                }
                let (requester, name) = (requester, source.name)
                resource.query.set(
                    member.name,
                    ConfigNode.copy(member.node, &manifest) { Self.text($0, requester, name, &$1) })
                continue
            }
            let filled = requester.fill(text, source.name)
            tell(filled, member.node.origin, &manifest)
            switch filled.value {
            case .secret(let variable, let prefix):
                source.authorize(
                    member.name, .query, variable, prefix: prefix, isLiteral: false, from: member.node.origin, &manifest
                )
            case .unknown(let what):
                manifest.leaveOut(
                    member.node.origin, "the parameter is \(what.prefix(120))", hint: "write it in 'query' by hand")
            case .literal(let value):
                if value.isEmpty { continue }
                if SecretWords.isSecret(member.name, value), !value.hasPrefix("{") {
                    let variable = SecretNaming.variable(source.name, member.name)
                    source.authorize(
                        member.name, .query, variable, prefix: "", isLiteral: true, from: member.node.origin, &manifest)
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

    /// Text inside a list or a body.
    private static func text(
        _ node: InputNode, _ requester: AirbyteComponent, _ source: String, _ manifest: inout ImportedManifest
    ) -> ConfigNode? {
        guard case .literal(let text) = requester.fill(node.text ?? "", source).value else {
            manifest.leaveOut(node.origin, "the value is a secret, or depends on something that only Airbyte knows")
            return nil
        }
        return .text(text, from: node.origin)
    }

    private func tell(_ filled: AirbyteText, _ origin: Origin, _ manifest: inout ImportedManifest) {
        for name in filled.assumed {
            manifest.leaveOut(
                origin, "config '\(name.prefix(60))' is the user's to set",
                hint: "its default stands in: change it by hand")
        }
    }
}

/// `url_base`, in which the user's configuration may say the host.
struct AirbyteURL {
    private(set) var text: String
    /// The path that was taken from its end.
    private(set) var rest = ""

    /// - Parameter isWhole: whether the URL says the path as well: what follows the last slash, or holds a placeholder.
    init(
        _ text: String, _ requester: AirbyteComponent, at origin: Origin, isWhole: Bool,
        _ manifest: inout ImportedManifest
    ) {
        self.init(text, requester, at: origin, &manifest)
        if isWhole { split() }
    }

    private mutating func split() {
        guard let start = text.firstRange(of: "://")?.upperBound, let slash = text[start...].firstIndex(of: "/") else {
            return
        }
        let end = text[slash...].firstIndex { $0 == "?" || $0 == "{" } ?? text.endIndex
        guard let cut = text[slash..<end].lastIndex(of: "/"), text.index(after: cut) < text.endIndex else { return }
        rest = String(text[cut...])
        text = String(text[..<cut])
    }

    private init(_ text: String, _ requester: AirbyteComponent, at origin: Origin, _ manifest: inout ImportedManifest) {
        let filled = requester.fill(text, "")
        if case .literal(let plain) = filled.value {
            self.text = plain
            for name in filled.assumed {
                manifest.leaveOut(
                    origin, "config '\(name.prefix(60))' is the user's to set",
                    hint: "its default stands in the URL: change it by hand")
            }
            return
        }
        self.text = Self.placeholder(text.utf8.count <= 2000 ? text : "")
        manifest.leaveOut(
            origin, "the URL depends on the user's configuration, and siding.yaml has no variables",
            hint: "put the real one in the place of 'base_url'")
    }

    /// A URL that no request leaves the machine for where the host is not known: secrets must not go to a guess.
    private static func placeholder(_ text: String) -> String {
        var names: [String] = []
        var (out, rest) = ("", text[...])
        while let match = rest.firstMatch(of: /\{\{([^{}]*)\}\}/) {
            let name = AirbyteAccess(String(match.output.1))?.keys.last ?? "value"
            let safe = SecretNaming.name(name).replacing("_", with: "-")
            names.append(safe)
            out += rest[..<match.range.lowerBound] + safe
            rest = rest[match.range.upperBound...]
        }
        out += rest
        let start = text.firstRange(of: "://")
        let host = start.map { text[$0.upperBound...].prefix { $0 != "/" && $0 != "?" } } ?? text[...]
        if start != nil, !host.contains("{{") {
            let legal = out.unicodeScalars.filter {
                $0.value > 0x20 && $0.value < 0x7F && !"{}<>\"'^`|\\".unicodeScalars.contains($0)
            }
            return String(String.UnicodeScalarView(legal))
        }
        return "https://\(names.first ?? "host").invalid"
    }
}
