// SPDX-License-Identifier: Apache-2.0
internal import SidingJSON
internal import SidingManifest

/// The sources and resources converted so far, and what could not be; common to all formats.
struct ImportedConfig: Sendable {
    let format: ImportFormat
    let file: String
    private(set) var resources: [ImportedResource] = []
    private var sources: [(name: String, source: ImportedSource)] = []
    /// The names of sources by their content.
    private var sourceNames: [String: String] = [:]
    private var takenNames: Set<String> = []
    private var takenResources: Set<String> = []
    private var notes: [Note] = []
    private var seen: Set<String> = []
    /// The resource of the following notes; nil for the whole file.
    var owner: String?

    private struct Note: Sendable {
        let unmapped: Unmapped
        let owner: String?
    }

    init(format: ImportFormat, file: String) {
        (self.format, self.file) = (format, file)
    }

    /// Notes that something was not converted or was changed. A note shared by several resources is kept once.
    mutating func noteUnsupported(_ origin: Origin, _ reason: String, hint: String? = nil) {
        guard seen.insert("\(origin.place) \(reason)").inserted else { return }
        let unmapped = Unmapped(path: origin.path, place: origin.place, reason: reason, hint: hint)
        notes.append(Note(unmapped: unmapped, owner: owner))
    }

    /// Notes the members of a map that the import does not know.
    mutating func noteUnsupported(membersOf node: InputNode?, but known: Set<String>) {
        for member in node?.members ?? [] where !known.contains(member.name) && !member.name.hasPrefix("$") {
            noteUnsupported(member.node.origin, "the import does not support this key")
        }
    }

    /// Adds a resource, and its source unless there is an equal one.
    mutating func add(_ resource: ImportedResource, from source: ImportedSource) {
        guard takenResources.insert(resource.name.lowercased()).inserted else {
            return noteUnsupported(resource.origin, "there is already a resource of this name")
        }
        var resource = resource
        let flow = source.withoutRetry.node.flow
        let name = sourceNames[flow] ?? freeSourceName(source.name, resource.name)
        if sourceNames.updateValue(name, forKey: flow) == nil {
            takenNames.insert(name)
            tellShared(name, source)
            sources.append((name, source))
        } else {
            share(source.retry, with: name)
        }
        resource.source = name
        resources.append(resource)
    }

    /// Shares retry settings within a source: separate sources would have separate rate limits and sign-ins.
    private mutating func share(_ retry: ConfigMap, with name: String) {
        guard !retry.isEmpty, let index = sources.firstIndex(where: { $0.name == name }) else { return }
        let known = sources[index].source.retry
        if known.isEmpty {
            sources[index].source.retry = retry
        } else if known.node.flow != retry.node.flow {
            noteUnsupported(
                retry.origin, "the source '\(name)' has the retry settings of another of its resources",
                hint: "change 'retry' of the source, or give the resource its own source")
        }
    }

    /// Notes when the new source has the same rate limits or refresh token as another one, as sources do not share them.
    private mutating func tellShared(_ name: String, _ source: ImportedSource) {
        let owner = owner
        self.owner = nil
        defer { self.owner = owner }
        for (other, known) in sources {
            if let limits = source.limits, known.limits?.origin.place == limits.origin.place {
                noteUnsupported(
                    limits.origin, "'\(other)' and '\(name)' are two sources, and each has its own budget",
                    hint: "lower the rates so that their sum is within the origin's limit")
            }
            if let auth = source.auth, auth.flow.contains("type: oauth2_refresh"), known.auth?.flow == auth.flow {
                noteUnsupported(
                    auth.origin,
                    "'\(other)' and '\(name)' are two sources, and each starts with the refresh token",
                    hint: "if the origin accepts a refresh token only once, give each source its own")
            }
        }
    }

    private func freeSourceName(_ wanted: String, _ resource: String) -> String {
        func isFree(_ name: String) -> Bool { !takenNames.contains(name) }
        let (plain, long) = (SecretNaming.name(wanted), SecretNaming.name("\(wanted)_\(resource)"))
        if isFree(plain) { return plain }
        if isFree(long) { return long }
        return (2...(sources.count + 2)).lazy.map { "\(plain)_\($0)" }.first(where: isFree) ?? long
    }

    // MARK: The result

    /// Makes the config from what the grammar accepts, and lists the rest.
    func makeImport() throws(ImportError) -> ConfigImport {
        var reported = notes.map(\.unmapped)
        guard !resources.isEmpty else { throw nothing(reported, "none of its resources can be converted") }
        var trial = GrammarTrial(root)
        let result = trial.validate { ConfigText($0, head: head(naming: $0.variables)) }
        reported += trial.root.refusals.map {
            Unmapped(path: $0.origin.path, place: $0.origin.place, reason: $0.reason, hint: $0.hint)
        }
        switch result {
        case .success(let config):
            return ConfigImport(
                config: config.text, unmapped: reported.sortedByPlace, variables: trial.root.variables)
        case .failure(let obstacle): throw nothing(reported, obstacle.description)
        }
    }

    private func nothing(_ reported: [Unmapped], _ reason: String) -> ImportError {
        let lines = reported.sortedByPlace.prefix(50).map(\.description)
        return .refused(lines + ["\(file): this file cannot be converted: \(PlainText.oneLine(reason))"])
    }

    private var root: ConfigNode {
        let origin = Origin(path: "the file", place: Place(file: file, line: 1, column: 1))
        var (root, all, collections) = (ConfigMap(from: origin), ConfigMap(from: origin), ConfigMap(from: origin))
        let comments = comments
        for (name, source) in sources {
            var source = source
            source.errors += commonErrors(of: name) ?? []
            all.set(name, source.node)
        }
        for resource in resources {
            let node = resource.node(
                namingSource: sources.count > 1, ownErrors: commonErrors(of: resource.source) == nil)
            collections.append(
                resource.name, node, comments: resource.remarks + (comments[resource.name] ?? []))
        }
        root.set("version", .number(1, from: origin))
        root.set("sources", all.node)
        root.set("resources", collections.node)
        return root.node
    }

    /// The failure rules shared by all resources of a source; nil if they differ.
    private func commonErrors(of source: String) -> [ConfigNode]? {
        let all = resources.filter { $0.source == source }.map(\.errors)
        let flows = Set(all.map { $0.map(\.flow) })
        return flows.count == 1 ? all.first : nil
    }

    private func head(naming variables: [String]) -> [String] {
        let secrets =
            variables.isEmpty ? [] : ["Secrets come from the environment: \(variables.joined(separator: ", "))."]
        return [
            "Made by 'siding import --from \(format.rawValue)' from \(PlainText.oneLine(file, limit: 200)).",
            "Review it, then run: siding check, siding plan, siding sync.",
        ] + secrets + (comments[nil] ?? [])
    }

    /// The notes of each resource as comments; under nil those without a resource in the config.
    private var comments: [String?: [String]] {
        let names = Set(resources.map(\.name))
        return notes.sorted { $0.unmapped.place < $1.unmapped.place }.reduce(into: [:]) { comments, note in
            let unmapped = note.unmapped
            let line = "line \(unmapped.place.line), \(unmapped.path): \(unmapped.message)"
            let owner = note.owner.flatMap { names.contains($0) ? $0 : nil }
            comments[owner, default: []].append(PlainText.oneLine(line, limit: 600))
        }
    }
}

extension [Unmapped] {
    fileprivate var sortedByPlace: [Unmapped] {
        enumerated().sorted { ($0.element.place, $0.offset) < ($1.element.place, $1.offset) }.map(\.element)
    }
}
