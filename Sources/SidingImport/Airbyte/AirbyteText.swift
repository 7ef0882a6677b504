/// A text of a manifest with its `{{ … }}` looked at.
struct AirbyteText: Sendable {
    /// What it comes to. A name stands for each member of the user's configuration that has no default.
    private(set) var text = ""
    /// The variable of the secret in it, and what stands before it.
    fileprivate(set) var secret: (variable: String, prefix: String)?
    /// The first expression that only Airbyte can work out.
    private(set) var unknown: String?
    /// Members of the user's configuration whose default was put in their place.
    fileprivate(set) var assumed: [String] = []
    /// Members of the user's configuration that have no default.
    private(set) var missing: [String] = []
    /// The placeholders in it, such as `{cursor}`: what it comes to differs between requests.
    private(set) var placeholders: [String] = []
    /// The text in which a name behind a ``mark`` stands for all that is not known.
    private(set) var template = ""
    /// The text for a person, without literals inside of expressions.
    private(set) var shown = ""

    /// No character of a URL.
    static let mark: Character = "\u{E000}"

    var value: ImportedText {
        if let unknown { return .unknown("'{{ \(unknown) }}'") }
        if let name = missing.first { return .unknown("'{{ config.\(name.prefix(100)) }}'") }
        if let secret { return .secret(variable: secret.variable, prefix: secret.prefix) }
        return .literal(plain)
    }

    /// The text without the quotes around all of it: Airbyte reads what a text comes to as Python does, so that `'2.10'`
    /// is how a manifest says that it is no number.
    var plain: String {
        guard let mark = text.first, mark == "'" || mark == "\"", text.count >= 2, text.last == mark else {
            return text
        }
        let inside = text.dropFirst().dropLast()
        return inside.contains(mark) || inside.contains("\\") ? text : String(inside)
    }

    /// The name that stands in a path or a host for the member `name` of the user's configuration.
    static func placeholder(_ name: String) -> String {
        let plain = SecretNaming.name(name).replacing("_", with: "-")
        return String(plain.reversed().drop { $0 == "-" }.reversed())
    }

    fileprivate mutating func append(_ known: some StringProtocol) {
        text += known
        template += known
        shown += known
    }

    fileprivate mutating func append(placeholder name: String) {
        append("{\(name)}")
        placeholders.append("{\(name)}")
    }

    fileprivate mutating func appendUnknown(_ expression: String, name: String = "value") {
        appendHole(expression, name)
        unknown = unknown ?? expression
    }

    fileprivate mutating func appendMissing(_ name: String, key: String) {
        appendHole("config." + name, key)
        text += Self.placeholder(key)
        missing.append(name)
    }

    fileprivate mutating func appendSecret(_ variable: String, _ expression: String, key: String) {
        guard secret == nil else { return appendUnknown("two secrets in one text", name: key) }
        secret = (variable, text)
        appendHole(expression, key)
    }

    fileprivate mutating func append(_ inner: AirbyteText) {
        secret = secret ?? inner.secret.map { ($0.variable, text + $0.prefix) }
        unknown = unknown ?? inner.unknown
        assumed += inner.assumed
        missing += inner.missing
        placeholders += inner.placeholders
        text += inner.text
        template += inner.template
        shown += inner.shown
    }

    fileprivate mutating func end() {
        guard let secret, text != secret.prefix else { return }
        unknown = unknown ?? "a secret with text behind it"
    }

    fileprivate mutating func refuse(_ reason: String) { unknown = unknown ?? reason }

    private mutating func appendHole(_ expression: String, _ name: String) {
        template += String(Self.mark) + Self.placeholder(name)
        shown += "{{ \(expression.prefix(100)) }}"
    }
}

extension AirbyteDocument {
    /// Fills in parameters, defaults and placeholders.
    ///
    /// - Parameter source: the name that variables of secrets begin with.
    func fill(_ text: String, _ parameters: [String: InputNode], _ source: String) -> AirbyteText {
        var (filled, rest) = (AirbyteText(), text[...])
        while let open = rest.firstRange(of: "{{") {
            filled.append(rest[..<open.lowerBound])
            let behind = rest[open.upperBound...]
            guard let close = behind.firstRange(of: "}}") else {
                filled.appendUnknown("…")
                return filled
            }
            add(String(behind[..<close.lowerBound]), parameters, source, to: &filled)
            rest = behind[close.upperBound...]
        }
        if rest.contains("{%") { filled.refuse("a template with statements") }
        filled.append(rest)
        filled.end()
        return filled
    }

    private func add(
        _ expression: String, _ parameters: [String: InputNode], _ source: String, to filled: inout AirbyteText
    ) {
        guard let access = AirbyteAccess(expression) else {
            // Literals in it may be secrets.
            let shown = expression.prefix(1000).replacing(/'[^']*'|"[^"]*"/, with: "'…'")
            return filled.appendUnknown(String(shown.trimmingSpaces.prefix(100)))
        }
        switch access.root {
        case "parameters", "options":
            let value = access.keys.dropFirst().reduce(access.keys.first.flatMap { parameters[$0] }) { $0?[$1] }
            guard let text = value?.rawText ?? access.fallback else { break }
            return add(parameter: text, source, to: &filled)
        case "config":
            return add(config: access, source, to: &filled)
        case "stream_interval", "stream_slice", "stream_partition":
            guard let key = access.keys.first, access.keys.count == 1 else { break }
            switch key {
            case "start_time": filled.append(placeholder: "cursor")
            case "end_time": filled.append(placeholder: "until")
            default: filled.append(placeholder: DltRequest.placeholderName(key))
            }
            return
        default: break
        }
        filled.appendUnknown(access.shown, name: access.keys.last ?? "value")
    }

    /// Parameters may hold references to the configuration themselves, one level deep.
    private func add(parameter text: String, _ source: String, to filled: inout AirbyteText) {
        guard text.contains("{{") else { return filled.append(text) }
        filled.append(fill(text, [:], source))
    }

    private func add(config access: AirbyteAccess, _ source: String, to filled: inout AirbyteText) {
        let (name, key) = (access.keys.joined(separator: "."), access.keys.last ?? "value")
        if isSecret(access.keys) {
            filled.appendSecret(SecretNaming.variable(source, key), access.shown, key: key)
        } else if let text = access.fallback ?? specification(of: access.keys)?["default"]?.text {
            filled.assumed.append(name)
            filled.append(text)
        } else {
            filled.appendMissing(name, key: key)
        }
    }
}
