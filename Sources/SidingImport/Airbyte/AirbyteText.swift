// SPDX-License-Identifier: Apache-2.0
/// A text of a manifest with its `{{ … }}` expressions evaluated as far as possible.
struct AirbyteText: Sendable {
    /// The evaluated text. Members of the user's configuration without a default are replaced by a name.
    private(set) var text = ""
    /// The variable of the contained secret, and the text before it.
    fileprivate(set) var secret: (variable: String, prefix: String)?
    /// The first expression that only Airbyte can evaluate.
    private(set) var unknown: String?
    /// Members of the user's configuration that were replaced by their default.
    fileprivate(set) var assumed: [String] = []
    /// Members of the user's configuration without a default.
    private(set) var missing: [String] = []
    /// The contained placeholders, such as `{cursor}`, whose values differ between requests.
    private(set) var placeholders: [String] = []
    /// The text with a ``mark`` and a name for each unknown value.
    private(set) var template = ""
    /// The text as a message, without the literals in expressions.
    private(set) var shown = ""

    /// A private character, which no URL contains.
    static let mark: Character = "\u{E000}"

    var value: ImportedText {
        if let unknown { return .unknown("'{{ \(unknown) }}'") }
        if let name = missing.first { return .unknown("'{{ config.\(name.prefix(100)) }}'") }
        if let secret { return .secret(variable: secret.variable, prefix: secret.prefix) }
        return .literal(plain)
    }

    /// The text without quotes around the whole of it: Airbyte evaluates texts like Python, so manifests write `'2.10'` for a text
    /// that is not a number.
    var plain: String {
        guard let mark = text.first, mark == "'" || mark == "\"", text.count >= 2, text.last == mark else {
            return text
        }
        let inside = text.dropFirst().dropLast()
        return inside.contains(mark) || inside.contains("\\") ? text : String(inside)
    }

    /// The name used in a path or a host for the member `name` of the user's configuration.
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
        unknown = unknown ?? "a secret with text after it"
    }

    fileprivate mutating func refuse(_ reason: String) { unknown = unknown ?? reason }

    private mutating func appendHole(_ expression: String, _ name: String) {
        template += String(Self.mark) + Self.placeholder(name)
        shown += "{{ \(expression.prefix(100)) }}"
    }
}

extension AirbyteDocument {
    /// Evaluates a text: inserts parameters, defaults and placeholders.
    ///
    /// - Parameter source: the prefix for the names of secret variables.
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
            // Literals in the expression may be secrets.
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
            default: filled.append(placeholder: Placeholder.name(for: key))
            }
            return
        default: break
        }
        filled.appendUnknown(access.shown, name: access.keys.last ?? "value")
    }

    /// Adds a parameter, which may itself refer to the user's configuration, one level deep.
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
