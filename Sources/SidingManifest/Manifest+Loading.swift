internal import Siding
internal import SidingCredentials

extension Manifest {
    /// The maximum size of a config file in bytes.
    public static let sizeLimit = 1 << 20

    /// Loads the config at `path`.
    ///
    /// - Throws: ``ManifestError/unreadable(path:reason:)`` unless it is a regular file of UTF-8 text with at most ``sizeLimit``
    ///   bytes, otherwise ``ManifestError/invalid(_:)`` with all faults.
    public static func load(
        path: String, environment: ManifestEnvironment
    ) throws(ManifestError) -> Manifest {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw .unreadable(path: path, reason: "is not the path of a file")
        }
        let bytes: [UInt8]
        do {
            bytes = try BoundedFile(path: environment.path(ofFile: path), limit: sizeLimit).read()
        } catch {
            throw .unreadable(path: path, reason: error.reason)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .unreadable(path: path, reason: "is not UTF-8 text")
        }
        return try parse(text, file: path, environment: environment)
    }

    /// Parses a config from `text`.
    ///
    /// - Parameter file: the path for messages; relative paths in the config start at its directory.
    /// - Throws: ``ManifestError/invalid(_:)`` with all faults, in file order.
    public static func parse(
        _ text: String, file: String, environment: ManifestEnvironment
    ) throws(ManifestError) -> Manifest {
        guard text.utf8.count <= sizeLimit else {
            throw .unreadable(path: file, reason: "is too large; the limit is \(sizeLimit / 1024) KiB")
        }
        let document = YAMLDocument(text, file: file)
        var reading = Reading(file: file, environment: environment, faults: document.faults)
        guard let root = document.root, !root.isNull else {
            if document.faults.isEmpty { reading.noteEmptyFile() }
            throw .invalid(reading.sortedFaults)
        }
        guard let declaration = ManifestGrammar.shape.type.read(root, &reading) else {
            throw .invalid(reading.sortedFaults)
        }
        let resources = declaration.boundResources(&reading)
        let writes = declaration.boundWrites(to: resources, &reading)
        guard reading.faults.isEmpty else { throw .invalid(reading.sortedFaults) }
        return Manifest(file: file, declaration, resources: resources, writes: writes, reading)
    }

    /// The JSON Schema (draft 2020-12) of the config, generated from the grammar that reads it.
    ///
    /// Editors use it through `# yaml-language-server: $schema=…`.
    public static func jsonSchema() -> String {
        let head: SchemaValue = [
            "$schema": "https://json-schema.org/draft/2020-12/schema", "title": "siding.yaml",
            "$defs": SchemaValue.object([]).adding(
                [("query_value", ValueType.querySchema)] + ValueType<LoginValue>.loginSchemas),
        ]
        guard case .object(let body) = ManifestGrammar.shape.schema() else { return head.json }
        let oneOf: SchemaValue = .list(["resources", "writes"].map { ["required": .list([.string($0)])] })
        return head.adding(body.map { ($0.name, $0.value) } + [("anyOf", oneOf)]).json + "\n"
    }
}

extension Reading {
    fileprivate mutating func noteEmptyFile() {
        fault("the file says nothing", at: subject.place, expected: "version, sources, and resources or writes")
    }
}

extension ManifestDeclaration {
    /// The sources with their names.
    var namedSources: [Source] {
        sources.map { member in
            var source = member.value
            source.name = member.name
            return source
        }
    }

    private var sourcesByName: [String: Source] {
        Dictionary(namedSources.map { ($0.name, $0) }) { first, _ in first }
    }

    /// The resources bound to their sources, without those with faults.
    func boundResources(_ reading: inout Reading) -> [AnyResource] {
        let sources = sourcesByName
        checkViewNames(&reading)
        ForEachReferences.check(resources, names: resourceNames, &reading)
        return resources.compactMap { member in
            member.value.resource(named: member.name, sources: sources, names: sourceNames, &reading)
        }
    }

    /// Checks that views of children do not collide with other views.
    private func checkViewNames(_ reading: inout Reading) {
        var taken = Set(resources.map { $0.name.lowercased() })
        for resource in resources {
            for child in resource.value.schema.children {
                let name = child.viewName(of: resource.name)
                guard !taken.insert(name.lowercased()).inserted else { continue }
                let message =
                    "\(resource.value.subject): the view \(Subject.quoted(name)) of its children is there already"
                reading.fault(message, at: resource.place, expected: "another name than '\(child.name)'")
            }
        }
    }

    /// The writes bound to their sources, without those with faults.
    func boundWrites(to resources: [AnyResource], _ reading: inout Reading) -> [WriteDeclaration] {
        let sources = sourcesByName
        return writes.compactMap { member in
            member.value.declaration(
                named: member.name, sources: sources, names: sourceNames, resources: resources, &reading)
        }
    }
}
