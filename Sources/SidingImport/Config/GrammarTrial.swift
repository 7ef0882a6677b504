// SPDX-License-Identifier: Apache-2.0
internal import SidingJSON
internal import SidingManifest

/// Checks a generated config with the grammar of `siding.yaml`, and marks what it refuses.
///
/// There is no list of supported features: the import keeps whatever the present grammar accepts.
struct GrammarTrial {
    private(set) var root: ConfigNode
    /// The maximum number of attempts; each refuses at least one value.
    private static let mostRounds = 200

    init(_ root: ConfigNode) {
        self.root = root
        refuseLongNames(at: [])
    }

    /// Why no valid config is left.
    struct Obstacle: Error, CustomStringConvertible {
        let description: String

        init(description: String) { self.description = description }
        init(_ faults: [Fault]) { description = faults.map(\.message).joined(separator: "; ") }
    }

    /// Marks refused values until the rest is a valid config, both on one line and as formatted text.
    ///
    /// - Parameter text: formats the config.
    mutating func validate(_ text: (ConfigNode) -> ConfigText) -> Result<ConfigText, Obstacle> {
        for _ in 0..<Self.mostRounds {
            do throws(ConfigError) {
                let flow = FlowText(root)
                if let faults = try Self.faults(of: flow.text) {
                    guard refuse(faults, at: { flow.path(at: $0) }) else { return .failure(Obstacle(faults)) }
                    continue
                }
                let written = text(root)
                guard let faults = try Self.faults(of: written.text) else { return .success(written) }
                guard refuse(faults, at: { written.path(at: $0) }) else { return .failure(Obstacle(faults)) }
            } catch { return .failure(Obstacle(description: error.description)) }
        }
        return .failure(Obstacle(description: "the grammar of siding.yaml refuses too much of it"))
    }

    /// The grammar's faults in `text`; nil if it is valid. Secrets are only named: no variable or file is looked at.
    ///
    /// - Throws: ``ConfigError`` without positions, such as for a text that is too large.
    private static func faults(of text: String) throws(ConfigError) -> [Fault]? {
        let environment = ConfigEnvironment(variables: [:], workingDirectory: "/", home: "/")
        do throws(ConfigError) {
            _ = try Config.parse(text, file: "siding.yaml", environment: environment)
            return nil
        } catch {
            guard !error.faults.isEmpty else { throw error }
            return error.faults
        }
    }

    private mutating func refuse(_ faults: [Fault], at place: (Place) -> [Int]?) -> Bool {
        faults.reduce(false) { isChanged, fault in
            guard let path = place(fault.place), refuse(path, fault) else { return isChanged }
            return true
        }
    }

    /// Marks the value at `path` or its first owner that is not essential; false if that would be the whole config.
    private mutating func refuse(_ path: [Int], _ fault: Fault) -> Bool {
        if let inner = holders(of: fault, in: path) {
            return inner.reduce(false) { refuse($1, fault) || $0 }
        }
        var target = path
        let origin = root.node(at: path).origin
        while root.node(at: target).isEssential, !target.isEmpty { target.removeLast() }
        // A config without 'sources' or 'resources' is useless.
        guard target.count > 1, !root.isRefused(at: target) else { return false }
        var reason = Self.reason(fault)
        if target.count < path.count, let name = root.name(at: target) { reason += ", so '\(name)' is left out" }
        let refusal = ConfigNode.Refusal(reason: reason, hint: Self.hint(fault), origin: origin)
        root.change(at: target) { $0.refusal = refusal }
        return true
    }

    /// The parameters with the placeholder, if the fault is about one in the whole query.
    private func holders(of fault: Fault, in path: [Int]) -> [[Int]]? {
        guard case .map(let entries) = root.node(at: path).content,
            let placeholder = ["{cursor}", "{until}"].first(where: fault.message.contains)
        else { return nil }
        let inner = entries.indices.filter {
            entries[$0].value.isLive && entries[$0].value.flow.contains(placeholder)
        }
        return inner.isEmpty ? nil : inner.map { path + [$0] }
    }

    private static func reason(_ fault: Fault) -> String {
        fault.message.hasPrefix("unknown key ")
            ? "siding.yaml has no key " + fault.message.dropFirst("unknown key ".count) : fault.message
    }

    /// The hint of a fault; none for unknown keys, as the list of all keys does not help here.
    private static func hint(_ fault: Fault) -> String? {
        fault.message.hasPrefix("unknown key ") ? nil : fault.expected.map { "expected \($0)" }
    }

    /// Refuses long keys: libyaml accepts at most 1,024 characters.
    private mutating func refuseLongNames(at path: [Int]) {
        let node = root.node(at: path)
        if case .map(let entries) = node.content {
            for (index, entry) in entries.enumerated()
            where ScalarText.text(entry.name, isPlain: false, inFlow: true).unicodeScalars.count > 900 {
                let refusal = ConfigNode.Refusal(
                    reason: "the name is too long", hint: nil, origin: entry.value.origin)
                root.change(at: path + [index]) { $0.refusal = refusal }
            }
        }
        for index in node.children.indices { refuseLongNames(at: path + [index]) }
    }
}

extension ConfigNode {
    /// The value at the child indexes of `path`.
    fileprivate func node(at path: [Int]) -> ConfigNode {
        path.reduce(self) { node, index in node.child(index) }
    }

    /// The key of the value; nil for an item of a list.
    fileprivate func name(at path: [Int]) -> String? {
        guard let last = path.last, case .map(let entries) = node(at: Array(path.dropLast())).content else {
            return nil
        }
        return PlainText.oneLine(entries[last].name, limit: 60)
    }

    /// Whether the value or one of its owners is refused.
    fileprivate func isRefused(at path: [Int]) -> Bool {
        (0...path.count).contains { node(at: Array(path.prefix($0))).refusal != nil }
    }

    fileprivate mutating func change(at path: [Int], _ body: (inout ConfigNode) -> Void) {
        guard let index = path.first else { return body(&self) }
        let rest = Array(path.dropFirst())
        switch content {
        case .scalar: break
        case .list(var items):
            items[index].change(at: rest, body)
            content = .list(items)
        case .map(var entries):
            entries[index].value.change(at: rest, body)
            content = .map(entries)
        }
    }

    /// All refusals, but none inside a refused value.
    var refusals: [Refusal] {
        if let refusal { return [refusal] }
        return children.flatMap(\.refusals)
    }
}
