// SPDX-License-Identifier: Apache-2.0
/// Converts a dlt REST source: `client`, `resource_defaults`, `resources` (RESTAPIConfig).
struct DltSource {
    private let root: InputNode

    /// - Throws: ``ImportError/refused(_:)`` if the file is not such a source.
    init(_ root: InputNode) throws(ImportError) {
        self.root = root
        guard root["client"]?.isMap == true, root["resources"]?.items != nil else {
            var lines = [
                "\(root.origin.place): this is not a dlt REST source: it has no 'client' map and 'resources' list"
            ]
            if root["streams"] != nil || root["definitions"] != nil {
                lines.append("it looks like an Airbyte manifest: --from airbyte")
            }
            throw .refused(lines)
        }
    }

    func add(to imported: inout ImportedConfig) throws(ImportError) {
        guard let client = root["client"] else { return }
        imported.noteUnsupported(membersOf: root, but: ["client", "resource_defaults", "resources"])
        guard let source = DltClient(client: client).source(&imported) else { return }
        let defaults = root["resource_defaults"]
        for item in root["resources"]?.items ?? [] {
            guard let resource = DltResource(item, defaults: defaults, client: client) else {
                imported.noteUnsupported(item.origin, "a resource is a name, or a map with 'name'")
                continue
            }
            imported.owner = resource.name
            resource.add(to: &imported, from: source)
            imported.owner = nil
        }
    }
}
