internal import SidingJSON
internal import SidingManifest

/// Asks the grammar of `siding.yaml` what it takes, and marks what it does not.
///
/// There is no list of what is supported: what a later grammar understands is taken over from then on.
struct GrammarTrial {
    private(set) var root: ConfigNode
    /// Each round refuses at least one value; a configuration that needs more of them is none.
    private static let mostRounds = 200

    init(_ root: ConfigNode) {
        self.root = root
        refuseLongNames(at: [])
    }

    /// What stands in the way where nothing is left that could be a configuration.
    struct Obstacle: Error, CustomStringConvertible {
        let description: String

        init(description: String) { self.description = description }
        init(_ faults: [Fault]) { description = faults.map(\.message).joined(separator: "; ") }
    }

    /// Marks what is refused until the rest is a configuration, also as a person is to read it.
    ///
    /// - Parameter text: writes the configuration.
    mutating func settle(_ text: (ConfigNode) -> ConfigText) -> Result<ConfigText, Obstacle> {
        for _ in 0..<Self.mostRounds {
            do throws(ManifestError) {
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
        return .failure(Obstacle(description: "too much of it is refused by the grammar of siding.yaml"))
    }

    /// What the grammar has against `text`; nil for a configuration.
    ///
    /// - Throws: where it has no places for it.
    private static func faults(of text: String) throws(ManifestError) -> [Fault]? {
        do throws(ManifestError) {
            _ = try parse(text)
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

    /// No variable and no file is looked at: secrets are only named.
    static func parse(_ text: String) throws(ManifestError) -> Manifest {
        let environment = ManifestEnvironment(variables: [:], workingDirectory: "/", home: "/")
        return try Manifest.parse(text, file: "siding.yaml", environment: environment)
    }

    /// Whether a sign-in may have a user and no password, which then is empty.
    static let takesUserAlone: Bool = {
        let text = "{ version: 1, sources: { a: { base_url: \"https://a.example\", auth: { type: basic, user: u } } }, "
        return (try? parse(text + "resources: { a: { path: /a, key: id } } }")) != nil
    }()

    /// False where the whole would go.
    private mutating func refuse(_ path: [Int], _ fault: Fault) -> Bool {
        if let inner = holders(of: fault, in: path) {
            return inner.reduce(false) { refuse($1, fault) || $0 }
        }
        var target = path
        let origin = root.node(at: path).origin
        while root.node(at: target).isEssential, !target.isEmpty { target.removeLast() }
        // Without 'sources' or 'resources' there is nothing.
        guard target.count > 1, !root.isRefused(at: target) else { return false }
        var reason = Self.reason(fault)
        if target.count < path.count, let name = root.name(at: target) { reason += ", so '\(name)' is left out" }
        let refusal = ConfigNode.Refusal(reason: reason, hint: Self.hint(fault), origin: origin)
        root.change(at: target) { $0.refusal = refusal }
        return true
    }

    /// Where the grammar speaks of a query for one placeholder in it: the parameters that hold it.
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

    /// A list of all the keys that there are helps nobody here.
    private static func hint(_ fault: Fault) -> String? {
        fault.message.hasPrefix("unknown key ") ? nil : fault.expected.map { "expected \($0)" }
    }

    /// libyaml takes no key of more than 1,024 characters.
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
    /// The value behind the child indexes of `path`.
    fileprivate func node(at path: [Int]) -> ConfigNode {
        path.reduce(self) { node, index in node.child(index) }
    }

    /// The key in front of the value; nil for an item of a list.
    fileprivate func name(at path: [Int]) -> String? {
        guard let last = path.last, case .map(let entries) = node(at: Array(path.dropLast())).content else {
            return nil
        }
        return PlainText.oneLine(entries[last].name, limit: 60)
    }

    /// Whether the value or one that it stands in is refused.
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

    /// What was refused, outermost values alone.
    var refusals: [Refusal] {
        if let refusal { return [refusal] }
        return children.flatMap(\.refusals)
    }
}
