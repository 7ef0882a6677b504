/// A text of a manifest with its `{{ … }}` looked at.
struct AirbyteText: Sendable {
    /// What it comes to.
    var text = ""
    /// The variable of the secret in it, and what stands before it.
    var secret: (variable: String, prefix: String)?
    /// The first expression that only Airbyte can work out.
    var unknown: String?
    /// Members of the user's configuration whose default was put in their place.
    var assumed: [String] = []

    var value: ImportedText {
        if let unknown { return .unknown("'{{ \(unknown) }}'") }
        if let secret { return .secret(variable: secret.variable, prefix: secret.prefix) }
        return .literal(text)
    }
}

extension AirbyteDocument {
    /// Fills in parameters, defaults and placeholders.
    ///
    /// - Parameter source: the name that variables of secrets begin with.
    func fill(_ text: String, _ parameters: [String: InputNode], _ source: String) -> AirbyteText {
        var (filled, rest) = (AirbyteText(), text[...])
        while let open = rest.firstRange(of: "{{") {
            filled.text += rest[..<open.lowerBound]
            let behind = rest[open.upperBound...]
            guard let close = behind.firstRange(of: "}}") else {
                filled.unknown = filled.unknown ?? "…"
                return filled
            }
            add(String(behind[..<close.lowerBound]), parameters, source, to: &filled)
            rest = behind[close.upperBound...]
        }
        if rest.contains("{%") { filled.unknown = filled.unknown ?? "a template with statements" }
        filled.text += rest
        if let secret = filled.secret, filled.text != secret.prefix {
            filled.unknown = filled.unknown ?? "a secret with text behind it"
        }
        return filled
    }

    private func add(
        _ expression: String, _ parameters: [String: InputNode], _ source: String, to filled: inout AirbyteText
    ) {
        guard let access = AirbyteAccess(expression) else {
            // Literals in it may be secrets.
            let shown = expression.prefix(1000).replacing(/'[^']*'|"[^"]*"/, with: "'…'")
            filled.unknown = filled.unknown ?? String(shown.trimmingSpaces.prefix(100))
            return
        }
        let shown = ([access.root] + access.keys).joined(separator: ".").prefix(100)
        switch access.root {
        case "parameters", "options":
            let value = access.keys.dropFirst().reduce(access.keys.first.flatMap { parameters[$0] }) { $0?[$1] }
            guard let text = value?.rawText ?? access.fallback else { break }
            return add(parameter: text, source, to: &filled)
        case "config":
            return add(config: access, source, shown, to: &filled)
        case "stream_interval", "stream_slice", "stream_partition":
            guard let key = access.keys.first, access.keys.count == 1 else { break }
            switch key {
            case "start_time": filled.text += "{cursor}"
            case "end_time": filled.text += "{until}"
            default: filled.text += "{\(DltRequest.placeholderName(key))}"
            }
            return
        default: break
        }
        filled.unknown = filled.unknown ?? String(shown)
    }

    /// Parameters may hold references to the configuration themselves, one level deep.
    private func add(parameter text: String, _ source: String, to filled: inout AirbyteText) {
        guard text.contains("{{") else {
            filled.text += text
            return
        }
        let inner = fill(text, [:], source)
        filled.text += inner.text
        filled.secret = filled.secret ?? inner.secret.map { ($0.variable, filled.text) }
        filled.unknown = filled.unknown ?? inner.unknown
        filled.assumed += inner.assumed
    }

    private func add(config access: AirbyteAccess, _ source: String, _ shown: Substring, to filled: inout AirbyteText) {
        let name = access.keys.joined(separator: ".")
        if isSecret(access.keys) {
            guard filled.secret == nil else {
                filled.unknown = filled.unknown ?? "two secrets in one text"
                return
            }
            filled.secret = (SecretNaming.variable(source, access.keys.last ?? "secret"), filled.text)
        } else if let text = access.fallback ?? specification(of: access.keys)?["default"]?.text {
            filled.assumed.append(name)
            filled.text += text
        } else {
            filled.unknown = filled.unknown ?? String(shown)
        }
    }
}

/// `config['a'].b`, `response.get('next', {})`, `config['x'] or 'y'`: a name and the members that lead from it.
struct AirbyteAccess: Sendable, Hashable {
    let root: String
    /// Members; the index of an element is its digits in brackets, such as `[0]`.
    let keys: [String]
    /// The text that stands in where there is none.
    let fallback: String?

    /// Nil for what is more than that.
    init?(_ expression: String) {
        var rest = expression.trimmingSpaces[...]
        guard rest.utf8.count <= 1000, let name = rest.prefixMatch(of: /[A-Za-z_][A-Za-z0-9_]*/) else { return nil }
        root = String(name.output)
        rest = rest[name.range.upperBound...]
        var (keys, fallback) = ([String](), String?.none)
        while !rest.isEmpty {
            if let match = rest.prefixMatch(of: /\.get\(\s*['"]([^'"]*)['"]\s*(?:,\s*(?:['"]([^'"]*)['"]|[^()]*))?\)/) {
                keys.append(String(match.output.1))
                fallback = match.output.2.map(String.init)
                rest = rest[match.range.upperBound...]
            } else if let match = rest.prefixMatch(of: /\.([A-Za-z_][A-Za-z0-9_]*)(?!\()/) {
                keys.append(String(match.output.1))
                rest = rest[match.range.upperBound...]
            } else if let match = rest.prefixMatch(of: /\[\s*['"]([^'"]+)['"]\s*\]/) {
                keys.append(String(match.output.1))
                rest = rest[match.range.upperBound...]
            } else if let match = rest.prefixMatch(of: /\[\s*([0-9]{1,9})\s*\]/) {
                keys.append("[\(match.output.1)]")
                rest = rest[match.range.upperBound...]
            } else if let match = rest.wholeMatch(of: /\s+or\s+['"]([^'"]*)['"]\s*/) {
                fallback = String(match.output.1)
                rest = ""
            } else {
                return nil
            }
        }
        (self.keys, self.fallback) = (keys, fallback)
    }

    /// The path of the members in a body; nil where a name cannot be said.
    var path: String? {
        let text = keys.reduce("$") { path, key in
            key.hasPrefix("[") && key.hasSuffix("]") ? path + key : path + ImportedPath.text([key]).dropFirst()
        }
        return keys.isEmpty ? nil : text
    }
}

extension StringProtocol {
    var trimmingSpaces: String {
        String(drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
    }
}
