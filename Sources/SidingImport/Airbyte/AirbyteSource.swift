// SPDX-License-Identifier: Apache-2.0
internal import SidingJSON

/// Converts an Airbyte low-code manifest (DeclarativeSource).
struct AirbyteSource {
    private let document: AirbyteDocument

    /// - Throws: ``ImportError/refused(_:)`` if the file is not such a manifest.
    init(_ root: InputNode) throws(ImportError) {
        document = AirbyteDocument(root)
        let looksRight =
            root["type"]?.text == "DeclarativeSource" || root["version"] != nil || root["definitions"] != nil
        guard root.isMap, looksRight, root["streams"]?.items != nil || root["dynamic_streams"] != nil else {
            var lines = [
                "\(root.origin.place): this is not an Airbyte low-code manifest: it has no 'version' and 'streams' list"
            ]
            if root["client"] != nil, root["resources"] != nil {
                lines.append("it looks like a dlt REST source: --from dlt")
            }
            throw .refused(lines)
        }
    }

    /// The maximum length of a chain of parents.
    private static let mostParents = 16
    private static let known: Set<String> = [
        "version", "type", "check", "definitions", "streams", "spec", "metadata", "schemas", "description",
        "api_budget", "concurrency_level", "dynamic_streams", "max_concurrent_async_job_count",
    ]

    func add(to imported: inout ImportedConfig) throws(ImportError) {
        let root = AirbyteComponent(document.root, in: document)
        imported.noteUnsupported(membersOf: document.root, but: Self.known)
        if let dynamic = document.root["dynamic_streams"] {
            imported.noteUnsupported(
                dynamic.origin, "siding.yaml does not support streams that are found at run time",
                hint: "write a resource for each that you need")
        }
        let listed = listedStreams(root, &imported)
        var requests: [String: [String]] = [:]
        for stream in listed {
            if let name = stream["name"]?.text { requests[name] = requests[name] ?? stream.request() }
        }
        let budget = AirbyteBudget(root: root)
        for stream in listed { add(stream, budget, &requests, to: &imported) }
    }

    private func listedStreams(_ root: AirbyteComponent, _ imported: inout ImportedConfig) -> [AirbyteComponent] {
        (document.root["streams"]?.items ?? []).compactMap { item in
            if let fault = document.fault(of: item) {
                imported.noteUnsupported(item.origin, fault)
                return nil
            }
            let stream = AirbyteComponent(item, parameters: root.parameters, in: document)
            if !stream.node.isMap { imported.noteUnsupported(item.origin, "a stream is a map") }
            return stream.node.isMap ? stream : nil
        }
    }

    /// Adds a stream, after its parent if that is not listed itself.
    ///
    /// - Parameters:
    ///   - name: the name of the resource; nil to use the stream's own.
    ///   - requests: the requests of all streams that are or will be added, by name.
    private func add(
        _ stream: AirbyteComponent, name: String? = nil, remark: String? = nil, depth: Int = 0,
        _ budget: AirbyteBudget, _ requests: inout [String: [String]], to imported: inout ImportedConfig
    ) {
        let name = name ?? stream["name"]?.text
        var parent = name.flatMap { AirbyteParent(of: stream, called: $0) }
        if let name, let found = parent {
            let asked = found.stream.request()
            let same = requests.filter { $0.value == asked }.keys.sorted().first
            parent?.name = found.ownName ?? same ?? found.name
            let known = requests[parent?.name ?? ""]
            if known == nil, depth < Self.mostParents, let parent {
                requests[parent.name] = asked
                let shown = PlainText.oneLine(name, limit: 60)
                add(
                    parent.stream, name: parent.name,
                    remark:
                        "Airbyte fetches it only as the parent of '\(shown)'; 'siding sync' stores its records too.",
                    depth: depth + 1, budget, &requests, to: &imported)
            } else if let known, known != asked {
                imported.owner = name
                imported.noteUnsupported(
                    found.stream.origin, "another stream has the name '\(found.name.prefix(60))' too",
                    hint: "'for_each' of '\(name.prefix(60))' uses its records: check whether these are meant")
                imported.owner = nil
            }
        }
        AirbyteStream(stream: stream, name: name, parent: parent, remark: remark, budget: budget).add(to: &imported)
    }
}

/// Converts `api_budget` and `concurrency_level`: rate limits and concurrency.
struct AirbyteBudget: Sendable {
    let root: AirbyteComponent

    func add(to source: inout ImportedSource, _ imported: inout ImportedConfig) {
        if let level = root.component("concurrency_level")?["default_concurrency"] {
            if let count = level.integer {
                source.concurrency = .number(count, from: level.origin)
            } else {
                imported.noteUnsupported(
                    level.origin, "it depends on the user's configuration",
                    hint: "write 'http: { concurrency: … }' of the source by hand")
            }
        }
        guard let budget = root.component("api_budget") else { return }
        imported.noteUnsupported(
            membersOf: budget.node,
            but: [
                "type", "policies", "ratelimit_reset_header", "ratelimit_remaining_header",
                "status_codes_for_ratelimit_hit", "maximum_attempts_to_acquire",
            ])
        let statuses = (budget["status_codes_for_ratelimit_hit"]?.itemsOrSelf ?? []).compactMap(\.integer)
            .filter { $0 != 429 }
        if !statuses.isEmpty {
            source.errors.append(.rule(statuses: statuses, do: "rate_limited", from: budget.origin))
        }
        var limits: [ConfigNode] = []
        for policy in budget.components("policies") {
            if let limit = Self.limit(policy, &imported) { limits.append(limit) }
        }
        if let limit = Self.headers(budget, &imported) { limits.append(limit) }
        if !limits.isEmpty { source.limits = ConfigNode(.list(limits), from: budget.origin) }
    }

    /// The limit by the origin's headers for the remaining quota.
    private static func headers(_ budget: AirbyteComponent, _ imported: inout ImportedConfig) -> ConfigNode? {
        let reset = budget["ratelimit_reset_header"]
        guard let remaining = budget["ratelimit_remaining_header"], let name = remaining.text else {
            if let reset {
                imported.noteUnsupported(
                    reset.origin, "the reset header is used only together with a header for the remaining quota",
                    hint: "write 'remaining_header' of 'limits' by hand")
            }
            return nil
        }
        var map = ConfigMap(from: remaining.origin)
        map.set("match", text: "**")
        map.set("remaining_header", ConfigNode.text(name, from: remaining.origin).essential)
        map.set("reset_header", reset.map { .text($0.text ?? "", from: $0.origin) })
        return map.node
    }

    private static func limit(_ policy: AirbyteComponent, _ imported: inout ImportedConfig) -> ConfigNode? {
        let rates = policy.components("rates")
        let rate = rates.first ?? policy
        guard rates.count <= 1, policy.components("matchers").isEmpty, policy.type != "UnlimitedCallRatePolicy",
            let count = (rate["limit"] ?? rate["call_limit"])?.integer,
            let interval = (rate["interval"] ?? rate["period"])?.text, let unit = units[interval]
        else {
            imported.noteUnsupported(
                policy.origin, "the limit applies to some requests only, or to an unusual time span",
                hint: "write 'limits' of the source by hand")
            return nil
        }
        return .texts(["match": "**", "rate": "\(count)/\(unit)"], from: policy.origin)
    }

    private static let units = [
        "PT1S": "s", "PT1M": "m", "PT60S": "m", "PT1H": "h", "PT60M": "h", "P1D": "d", "PT24H": "d",
    ]
}
