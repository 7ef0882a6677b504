// SPDX-License-Identifier: Apache-2.0
internal import SidingManifest

/// A source in Siding's terms, from any format.
struct ImportedSource: Sendable {
    /// The preferred name.
    let name: String
    let origin: Origin
    let baseURL: ConfigNode
    var headers: ConfigMap
    /// Header fields that contain placeholders.
    var varying: [VaryingHeader] = []
    var auth: ConfigNode?
    var concurrency: ConfigNode?
    var retry: ConfigMap
    /// Failure rules for all its requests.
    var errors: [ConfigNode] = []
    var limits: ConfigNode?
    /// Whether the file's own URL has no TLS and is not on this machine.
    var isPlainHTTP = false

    init(name: String, baseURL: ConfigNode, from origin: Origin) {
        (self.name, self.baseURL, self.origin) = (name, baseURL, origin)
        headers = ConfigMap(from: origin)
        retry = ConfigMap(from: origin)
    }

    var withoutRetry: ImportedSource {
        var source = self
        source.retry = ConfigMap(from: origin)
        return source
    }

    var node: ConfigNode {
        var map = ConfigMap(from: origin)
        let asksTLS = isPlainHTTP && auth != nil
        map.set("base_url", (asksTLS ? secureBaseURL : baseURL).essential)
        if !headers.isEmpty { map.set("headers", headers.node) }
        map.set("auth", auth)
        var http = ConfigMap(from: concurrency?.origin ?? baseURL.origin)
        http.set("concurrency", concurrency)
        if isPlainHTTP, !asksTLS { http.set("allow_plain_http", .truth(true, from: baseURL.origin)) }
        if !http.isEmpty { map.set("http", http.node) }
        map.set("limits", limits)
        if !errors.isEmpty { map.set("errors", ConfigNode(.list(errors), from: errors[0].origin)) }
        if !retry.isEmpty { map.set("retry", retry.node) }
        return map.node
    }

    /// The base URL with https: credentials never go over a network in the clear.
    private var secureBaseURL: ConfigNode {
        guard let text = baseURL.scalar, let end = text.firstRange(of: "://")?.lowerBound else { return baseURL }
        return .text("https" + text[end...], from: baseURL.origin)
    }

    /// A header field whose value differs between requests.
    struct VaryingHeader: Sendable {
        let name: String
        let text: String
        /// The placeholders in `text`.
        let placeholders: [String]
        let origin: Origin
    }

    /// Adds the header fields in which `value` replaces the only `placeholder`, and notes the others: siding.yaml has no header
    /// fields that differ between requests.
    mutating func resolveVaryingHeaders(
        _ imported: inout ImportedConfig, filling placeholder: String? = nil, with value: String = ""
    ) {
        for header in varying {
            if let placeholder, header.placeholders.allSatisfy({ $0 == placeholder }) {
                let text = header.text.replacing(placeholder, with: value)
                addHeader(header.name, .literal(text), from: header.origin, &imported)
            } else {
                imported.noteUnsupported(
                    header.origin, "siding.yaml does not support a header field that differs between requests",
                    hint: "the requests are sent without it: check whether the origin accepts them")
            }
        }
        varying = []
    }

    // MARK: Header fields and parameters that may be secrets

    /// Where a credential stands in a request.
    enum Position: String, Sendable {
        case header, query
    }

    /// Adds a header field for all requests; a secret one becomes the source's `auth`.
    mutating func addHeader(
        _ name: String, _ text: ImportedText, from origin: Origin, _ imported: inout ImportedConfig
    ) {
        switch text {
        case .literal(let value):
            if SecretWords.isSecret(name, value) {
                let prefix = value.hasPrefix("Bearer ") ? "Bearer " : ""
                let variable = SecretNaming.variable(self.name, prefix.isEmpty ? name : "token")
                authorize(name, .header, variable, prefix: prefix, isLiteral: true, from: origin, &imported)
            } else {
                headers.set(name, .text(value, from: origin))
            }
        case .secret(let variable, let prefix):
            authorize(name, .header, variable, prefix: prefix, isLiteral: false, from: origin, &imported)
        case .unknown(let what):
            imported.noteUnsupported(
                origin, "the header field '\(name)' holds \(what)", hint: "set it in 'headers' by hand")
        }
    }

    /// Makes a query parameter with a literal secret the source's `auth`.
    mutating func authorize(query name: String, from origin: Origin, _ imported: inout ImportedConfig) {
        let variable = SecretNaming.variable(self.name, name)
        authorize(name, .query, variable, prefix: "", isLiteral: true, from: origin, &imported)
    }

    /// Makes a header field or a query parameter the source's `auth`.
    mutating func authorize(
        _ name: String, _ position: Position, _ variable: String, prefix: String, isLiteral: Bool,
        from origin: Origin, _ imported: inout ImportedConfig
    ) {
        let isBearer = position == .header && name.lowercased() == "authorization" && prefix == "Bearer "
        // siding.yaml puts a space behind a word.
        let isWord = TokenGrammar.spaced(prefix) != prefix
        guard auth == nil else {
            imported.noteUnsupported(
                origin, "'\(name)' is a second secret in each request, but a source has only one",
                hint: "check whether the origin needs both")
            return
        }
        var map = ConfigMap(from: origin)
        map.set("type", text: isBearer ? "bearer" : "api_key")
        map.set(isBearer ? "token" : "key", .secret(variable, from: origin))
        if !isBearer {
            if position == .query { map.set("in", text: "query") }
            map.set("name", text: name)
            if !prefix.isEmpty, !isWord { map.set("prefix", text: prefix) }
        }
        auth = map.node
        if isLiteral {
            imported.leaveLiteral(origin, variable)
        } else if isWord {
            imported.noteUnsupported(
                origin, "the secret has text before it", hint: "set \(variable) to the whole value")
        }
    }
}

extension ImportedConfig {
    /// The secret that `text` refers to. If it refers to none, that is noted, and the secret is that of `variable`.
    mutating func secret(
        _ name: String, _ text: ImportedText, orOf variable: String, from origin: Origin
    ) -> ConfigNode {
        switch text {
        case .secret(let named, let prefix):
            if !prefix.isEmpty {
                noteUnsupported(
                    origin, "the secret has text before it", hint: "set \(named) to the whole value")
            }
            return .secret(named, from: origin)
        case .unknown(let what):
            noteUnsupported(
                origin, "'\(name)' is \(what.prefix(120))", hint: "set the environment variable \(variable)")
        case .literal: leaveLiteral(origin, variable)
        }
        return .secret(variable, from: origin)
    }

    /// The secret of `variable`, after noting that the file does not have it.
    mutating func missingSecret(_ name: String, _ variable: String, from origin: Origin) -> ConfigNode {
        noteUnsupported(origin, "'\(name)' is not in the file", hint: "set the environment variable \(variable)")
        return .secret(variable, from: origin)
    }

    /// Notes that a literal secret was not copied.
    mutating func leaveLiteral(_ origin: Origin, _ variable: String) {
        noteUnsupported(
            origin, "a literal secret is not copied", hint: "set the environment variable \(variable) to it")
    }
}
