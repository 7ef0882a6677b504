// SPDX-License-Identifier: Apache-2.0
/// Converts `client.auth` of a dlt source.
struct DltAuth {
    let auth: InputNode

    func add(to source: inout ImportedSource, _ imported: inout ImportedConfig) {
        guard source.auth == nil else {
            return imported.noteUnsupported(auth.origin, "the URL already has a sign-in")
        }
        let type = auth.isScalar ? auth.text : auth["type"]?.text ?? "bearer"
        switch type {
        case "bearer": bearer(&source, &imported)
        case "api_key": apiKey(&source, &imported)
        case "http_basic": basic(&source, &imported)
        case "oauth2_client_credentials": client(&source, &imported)
        default:
            imported.noteUnsupported(
                auth.origin, "the import does not support this kind of sign-in",
                hint: "write 'auth' of the source by hand: bearer, basic, api_key, oauth2_client, oauth2_refresh, "
                    + "session or command")
        }
    }

    private func bearer(_ source: inout ImportedSource, _ imported: inout ImportedConfig) {
        imported.noteUnsupported(membersOf: auth, but: ["type", "token"])
        var map = ConfigMap(from: auth.origin)
        map.set("type", text: "bearer")
        map.set("token", secret("token", source, &imported))
        source.auth = map.node
    }

    private func apiKey(_ source: inout ImportedSource, _ imported: inout ImportedConfig) {
        imported.noteUnsupported(membersOf: auth, but: ["type", "name", "api_key", "location"])
        let location = auth["location"]?.text ?? "header"
        guard ["header", "query", "param"].contains(location) else {
            return imported.noteUnsupported(
                auth["location"]?.origin ?? auth.origin, "siding.yaml does not support a key in a cookie")
        }
        var map = ConfigMap(from: auth.origin)
        map.set("type", text: "api_key")
        map.set("key", secret("api_key", source, &imported))
        if location != "header" { map.set("in", text: "query") }
        map.set("name", text: auth["name"]?.text ?? "Authorization")
        source.auth = map.node
    }

    private func basic(_ source: inout ImportedSource, _ imported: inout ImportedConfig) {
        imported.noteUnsupported(membersOf: auth, but: ["type", "username", "password"])
        let user = textOrSecret("username", source, &imported)
        let isEmpty = auth["password"]?.rawText?.isEmpty ?? false
        let password = isEmpty ? nil : secret("password", source, &imported)
        source.auth = .basic(user: user, password: password, from: auth.origin)
    }

    private func client(_ source: inout ImportedSource, _ imported: inout ImportedConfig) {
        let known: Set = ["type", "access_token_url", "client_id", "client_secret", "access_token_request_data"]
        imported.noteUnsupported(membersOf: auth, but: known.union(["default_token_expiration", "access_token"]))
        var map = ConfigMap(from: auth.origin)
        map.set("type", text: "oauth2_client")
        map.set("token_url", auth["access_token_url"].map { .text($0.text ?? "", from: $0.origin).essential })
        map.set("client_id", textOrSecret("client_id", source, &imported))
        map.set("client_secret", secret("client_secret", source, &imported))
        // dlt sends both among the parameters.
        map.set("client_auth", text: "body")
        var parameters = ConfigMap(from: auth["access_token_request_data"]?.origin ?? auth.origin)
        for member in auth["access_token_request_data"]?.members ?? [] {
            switch member.name {
            case "grant_type":
                if member.node.text != "client_credentials" {
                    imported.noteUnsupported(member.node.origin, "only the grant client_credentials is supported")
                }
            case "scope", "audience": map.set(member.name, .text(member.node.text ?? "", from: member.node.origin))
            case let name:
                let isSecret = SecretWords.isSecret(name)
                parameters.set(
                    name,
                    isSecret
                        ? secret(member.node, name, source, &imported)
                        : .text(member.node.text ?? "", from: member.node.origin))
            }
        }
        if !parameters.isEmpty { map.set("params", parameters.node) }
        source.auth = map.node
    }

    /// The secret under `name`; if it is missing because dlt finds it elsewhere, a variable named after it.
    private func secret(
        _ name: String, _ source: ImportedSource, _ imported: inout ImportedConfig
    ) -> ConfigNode {
        guard let node = auth[name] else {
            return imported.missingSecret(name, SecretNaming.variable(source.name, name), from: auth.origin)
        }
        return secret(node, name, source, &imported)
    }

    private func secret(
        _ node: InputNode, _ name: String, _ source: ImportedSource, _ imported: inout ImportedConfig
    ) -> ConfigNode {
        imported.secret(
            name, DltReference.read(node.text ?? ""), orOf: SecretNaming.variable(source.name, name),
            from: node.origin)
    }

    /// A user or client name: text, unless the file marks it as a secret.
    private func textOrSecret(
        _ name: String, _ source: ImportedSource, _ imported: inout ImportedConfig
    ) -> ConfigNode {
        guard let node = auth[name], let text = node.text,
            case .literal(let plain) = DltReference.read(text)
        else { return secret(name, source, &imported) }
        return .text(plain, from: node.origin)
    }
}
