// SPDX-License-Identifier: Apache-2.0
/// Converts an authenticator of a requester to `auth`.
struct AirbyteAuthenticator {
    let auth: AirbyteComponent
    let baseURL: String

    func add(to source: inout ImportedSource, _ imported: inout ImportedConfig) {
        guard source.auth == nil else { return }
        switch auth.type {
        case "NoAuth", nil: break
        case "BearerAuthenticator":
            var map = typed("bearer")
            map.set("token", secret("api_token", "token", source, &imported))
            source.auth = map.node
        case "ApiKeyAuthenticator": apiKey(&source, &imported)
        case "BasicHttpAuthenticator":
            let user = textOrSecret("username", "user", source, &imported)
            let isEmpty = auth["password"]?.rawText?.isEmpty ?? true
            let password = isEmpty ? nil : secret("password", "password", source, &imported)
            source.auth = .basic(user: user, password: password, from: auth.origin)
        case "OAuthAuthenticator": oauth(&source, &imported)
        case "SessionTokenAuthenticator": session(&source, &imported)
        case let type?:
            imported.noteUnsupported(
                auth.origin, "the import does not support the authenticator '\(type.prefix(60))'",
                hint: "write 'auth' of the source by hand: bearer, basic, api_key, oauth2_client, oauth2_refresh, "
                    + "session or command")
        }
    }

    private func apiKey(_ source: inout ImportedSource, _ imported: inout ImportedConfig) {
        let option = auth.component("inject_into")
        let position = option?["inject_into"]?.text ?? "header"
        guard let name = (option?["field_name"] ?? auth["header"])?.text,
            position == "header" || position == "request_parameter"
        else {
            return imported.noteUnsupported(auth.origin, "the key is sent neither in a header field nor in the query")
        }
        let node = auth["api_token"]
        let filled = auth.fill(node?.text ?? "", source.name)
        let inHeader = position == "header"
        let origin = node?.origin ?? auth.origin
        switch filled.value {
        case .secret(let variable, let prefix):
            source.authorize(
                name, inHeader ? .header : .query, variable, prefix: prefix, isLiteral: false, from: origin, &imported)
        case .literal:
            let variable = SecretNaming.variable(source.name, inHeader ? "api_key" : name)
            source.authorize(
                name, inHeader ? .header : .query, variable, prefix: "", isLiteral: true, from: origin, &imported)
        case .unknown(let what):
            let variable = SecretNaming.variable(source.name, "api_key")
            source.authorize(
                name, inHeader ? .header : .query, variable, prefix: "", isLiteral: false, from: origin, &imported)
            imported.noteUnsupported(
                origin, "the key is \(what.prefix(120))", hint: "set \(variable) to its result")
        }
    }

    private func oauth(_ source: inout ImportedSource, _ imported: inout ImportedConfig) {
        let isClient = auth["grant_type"]?.text == "client_credentials"
        var map = typed(isClient ? "oauth2_client" : "oauth2_refresh")
        if let url = auth["token_refresh_endpoint"] {
            let filled = auth.fill(url.text ?? "", source.name)
            guard case .literal(let text) = filled.value else {
                return imported.noteUnsupported(
                    url.origin, "the token endpoint depends on the user's configuration",
                    hint: "write 'auth' of the source by hand")
            }
            map.set("token_url", ConfigNode.text(text, from: url.origin).essential)
        }
        map.set("client_id", textOrSecret("client_id", "client_id", source, &imported))
        map.set("client_secret", secret("client_secret", "client_secret", source, &imported))
        if !isClient { map.set("refresh_token", secret("refresh_token", "refresh_token", source, &imported)) }
        map.set("client_auth", text: "body")
        if let scopes = auth["scopes"], !scopes.texts.isEmpty {
            map.set("scope", .text(scopes.texts.joined(separator: " "), from: scopes.origin))
        }
        var parameters = ConfigMap(from: auth.origin)
        for member in auth.members("refresh_request_body") {
            guard let text = member.node.text, !SecretWords.isSecret(member.name),
                case .literal(let plain) = auth.fill(text, source.name).value
            else {
                imported.noteUnsupported(
                    member.node.origin, "the parameter is a secret or a template",
                    hint: "write it in 'params' of 'auth' by hand")
                continue
            }
            parameters.set(member.name, .text(plain, from: member.node.origin))
        }
        if !parameters.isEmpty { map.set("params", parameters.node) }
        for name in ["access_token_name", "refresh_request_headers", "use_profile_assertion"] {
            if let node = auth.node[name], node.text != "access_token" {
                imported.noteUnsupported(node.origin, "siding.yaml has no such setting for a token endpoint")
            }
        }
        source.auth = map.node
    }

    private func session(_ source: inout ImportedSource, _ imported: inout ImportedConfig) {
        guard let login = auth.component("login_requester"), let path = login["path"]?.text,
            login["url_base"]?.text == baseURL, login["http_method"]?.text?.uppercased() == "POST",
            let body = login["request_body_json"], body.isMap
        else {
            return imported.noteUnsupported(
                auth.origin, "the log-in is not a POST of a JSON map to the same origin",
                hint: "write 'auth' of the source by hand")
        }
        var (values, map) = (ConfigMap(from: body.origin), typed("session"))
        for member in login.members("request_body_json") {
            let filled = login.fill(member.node.text ?? "", source.name)
            let isSecret = SecretWords.isSecret(member.name)
            switch filled.value {
            case .literal(let text) where !isSecret: values.set(member.name, .text(text, from: member.node.origin))
            case .secret(let variable, prefix: ""): values.set(member.name, .secret(variable, from: member.node.origin))
            case .literal, .secret, .unknown:
                let variable = SecretNaming.variable(source.name, member.name)
                values.set(member.name, .secret(variable, from: member.node.origin))
                imported.noteUnsupported(
                    member.node.origin, "this part of the log-in is not in the file, or is a literal secret",
                    hint: "set the environment variable \(variable) to it")
            }
        }
        map.set("path", ConfigNode.text(path.hasPrefix("/") ? path : "/" + path, from: login.origin).essential)
        map.set("body", values.node.essential)
        if let token = auth["session_token_path"], !token.texts.isEmpty {
            map.set("token", .text(ImportedPath.text(token.texts), from: token.origin))
        }
        if let lifetime = auth["expiration_duration"] {
            if let text = lifetime.text.flatMap(AirbyteDuration.text) {
                map.set("lifetime", .text(text, from: lifetime.origin))
            } else {
                imported.noteUnsupported(lifetime.origin, "siding.yaml does not support this duration")
            }
        }
        if let request = auth.component("request_authentication"), request.type == "ApiKey",
            let option = request.component("inject_into")
        {
            guard option["inject_into"]?.text == "header", let field = option["field_name"] else {
                return imported.noteUnsupported(
                    option.origin, "a session's token can only be sent in a header field",
                    hint: "write 'auth' of the source by hand")
            }
            map.set("header", .text(field.text ?? "", from: field.origin))
        }
        source.auth = map.node
    }

    // MARK: Parts

    private func typed(_ name: String) -> ConfigMap {
        var map = ConfigMap(from: auth.origin)
        map.set("type", text: name)
        return map
    }

    private func secret(
        _ name: String, _ word: String, _ source: ImportedSource, _ imported: inout ImportedConfig
    ) -> ConfigNode {
        let node = auth[name]
        let origin = node?.origin ?? auth.origin
        let variable = SecretNaming.variable(source.name, word)
        let text = auth.fill(node?.text ?? "", source.name).value
        guard text != .literal("") else { return imported.missingSecret(name, variable, from: origin) }
        return imported.secret(name, text, orOf: variable, from: origin)
    }

    /// A user or client name: literal text is kept, a value from the user's configuration becomes a variable.
    private func textOrSecret(
        _ name: String, _ word: String, _ source: ImportedSource, _ imported: inout ImportedConfig
    ) -> ConfigNode {
        guard let node = auth[name], let text = node.text else { return secret(name, word, source, &imported) }
        let filled = auth.fill(text, source.name)
        if case .literal(let plain) = filled.value, filled.assumed.isEmpty { return .text(plain, from: node.origin) }
        if case .unknown = filled.value, let access = AirbyteAccess(text.inBraces ?? ""), access.root == "config" {
            return .secret(SecretNaming.variable(source.name, access.keys.last ?? word), from: node.origin)
        }
        return secret(name, word, source, &imported)
    }
}

extension String {
    /// The expression between `{{` and `}}`, if the text has nothing else.
    var inBraces: String? {
        let text = trimmingSpaces
        guard text.hasPrefix("{{"), text.hasSuffix("}}"), text.count >= 4 else { return nil }
        let inside = String(text.dropFirst(2).dropLast(2))
        return inside.contains("{{") || inside.contains("}}") ? nil : inside
    }
}
