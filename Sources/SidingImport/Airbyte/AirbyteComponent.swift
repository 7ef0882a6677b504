// SPDX-License-Identifier: Apache-2.0
internal import SidingManifest

/// One component of an Airbyte manifest: a map whose references are resolved on access, with its inherited parameters.
struct AirbyteComponent: Sendable {
    let node: InputNode
    let parameters: [String: InputNode]
    private let document: AirbyteDocument

    init(_ node: InputNode, parameters: [String: InputNode] = [:], in document: AirbyteDocument) {
        self.node = document.resolved(node)
        self.document = document
        let own = self.node["$parameters"].map { document.resolved($0).members } ?? []
        // A component's own parameters win over inherited ones (propagate_types_and_parameters of the CDK).
        self.parameters = parameters.merging(own.map { ($0.name, $0.node) }) { _, own in own }
    }

    var origin: Origin { node.origin }
    var type: String? { node["type"]?.text }

    /// The value of `name`; if it is missing or empty, the parameter of that name.
    subscript(name: String) -> InputNode? {
        let own = value(node[name])
        return own.flatMap { $0.isVoid ? nil : $0 } ?? value(parameters[name]) ?? own
    }

    private func value(_ node: InputNode?) -> InputNode? {
        node.map(document.resolved).flatMap { $0.isNull ? nil : $0 }
    }

    /// The parameters for the component under `name`, without the one of that name, which would contain itself.
    private func inherited(by name: String) -> [String: InputNode] { parameters.filter { $0.key != name } }

    /// The map under `name` as a component.
    func component(_ name: String) -> AirbyteComponent? {
        guard let value = self[name], value.isMap else { return nil }
        return AirbyteComponent(value, parameters: inherited(by: name), in: document)
    }

    /// The maps in the list under `name`, or the single map there.
    func components(_ name: String) -> [AirbyteComponent] {
        (self[name]?.itemsOrSelf ?? []).map(document.resolved).filter(\.isMap)
            .map { AirbyteComponent($0, parameters: inherited(by: name), in: document) }
    }

    /// The members of a plain map under `name`, with their references resolved.
    func members(_ name: String) -> [(name: String, node: InputNode)] {
        (node[name].map(document.resolved)?.members ?? []).map { ($0.name, document.resolved($0.node)) }
    }

    func resolved(_ node: InputNode) -> InputNode { document.resolved(node) }
    func fill(_ text: String, _ source: String) -> AirbyteText { document.fill(text, parameters, source) }
    func fault(of node: InputNode) -> String? { document.fault(of: node) }
}

/// The whole manifest: resolves references and knows the connector's specification.
struct AirbyteDocument: Sendable {
    let root: InputNode
    /// The maximum length of a chain of references.
    private static let mostSteps = 32

    init(_ root: InputNode) {
        self.root = root
    }

    /// `node` with its `$ref` resolved, one level deep; unchanged if the reference cannot be resolved.
    func resolved(_ node: InputNode) -> InputNode { resolved(node, steps: 0) ?? node }

    /// Why the reference of `node` cannot be resolved; nil if it can, or there is none.
    func fault(of node: InputNode) -> String? {
        guard Self.reference(node) != nil, resolved(node, steps: 0) == nil else { return nil }
        return "the reference has no target, or refers to itself"
    }

    private func resolved(_ node: InputNode, steps: Int) -> InputNode? {
        guard let reference = Self.reference(node) else { return node }
        guard steps < Self.mostSteps, let target = target(of: reference, steps: steps + 1),
            let base = resolved(target, steps: steps + 1)
        else { return nil }
        guard let own = node.entries, let inherited = base.entries else {
            return InputNode(base.value, path: node.path)
        }
        let others = own.filter { $0.name != "$ref" }
        let names = Set(others.map(\.name))
        let merged = others + inherited.filter { !names.contains($0.name) && $0.name != "$ref" }
        return InputNode(YAMLNode(base.value.place, .map(merged)), path: node.path)
    }

    /// The reference of `{ $ref: "#/definitions/x" }`, or of the text alone.
    private static func reference(_ node: InputNode) -> String? {
        if let text = node["$ref"]?.text { return text }
        return node.text.flatMap { $0.hasPrefix("#/") ? $0 : nil }
    }

    /// The value at `#/definitions/x/y`, where `x` may itself be a reference.
    private func target(of reference: String, steps: Int) -> InputNode? {
        guard reference.hasPrefix("#/"), reference.utf8.count <= 1000 else { return nil }
        var node = root
        for part in reference.dropFirst(2).split(separator: "/") {
            guard let inside = resolved(node, steps: steps) else { return nil }
            let name = String(part).replacing("~1", with: "/").replacing("~0", with: "~")
            if let items = inside.items {
                guard let index = Int(name), items.indices.contains(index) else { return nil }
                node = items[index]
            } else {
                guard let member = inside[name] else { return nil }
                node = member
            }
        }
        return node
    }

    // MARK: What the user is asked for

    /// The description of `config['a']['b']` in the connector's specification.
    func specification(of keys: [String]) -> InputNode? {
        var node = root["spec"].map(resolved)?["connection_specification"].map(resolved)
        for key in keys { node = node.flatMap { property(key, of: $0, depth: 0) } }
        return node
    }

    /// The property of that name, also from alternatives (`oneOf`, `anyOf`).
    private func property(_ name: String, of node: InputNode, depth: Int) -> InputNode? {
        if let found = node["properties"].map(resolved)?[name] { return resolved(found) }
        guard depth < 4 else { return nil }
        for item in (node["oneOf"] ?? node["anyOf"])?.items ?? [] {
            if let found = property(name, of: resolved(item), depth: depth + 1) { return found }
        }
        return nil
    }

    /// Whether `config['a']` is a secret, by the specification or else by its name.
    func isSecret(_ keys: [String]) -> Bool {
        specification(of: keys)?["airbyte_secret"]?.truth ?? keys.last.map(SecretWords.isSecret) ?? false
    }
}
