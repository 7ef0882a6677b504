import ArgumentParser
import Siding
import SidingManifest

/// `siding check`: validates the config and lists every fault with its position.
struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check the config: print every fault with file:line:column and the expected value.")

    @OptionGroup var options: GlobalOptions

    @Flag(help: "Print the JSON Schema of the config, for editors.")
    var schema = false

    func run() async throws {
        if schema {
            Output.line(Manifest.jsonSchema())
            return
        }
        let workspace = try Workspace.load(options)
        try await workspace.checkSecrets()
        let manifest = workspace.manifest
        let warnings = manifest.resources.flatMap { resource in
            resource.cautions.map { caution in
                (manifest.place(ofResource: resource.name).map { "\($0): " } ?? "") + "\(resource.name): \(caution)"
            }
        }
        if options.json {
            var object = JSONObject()
            object.bool("valid", true)
            object.string("file", manifest.file)
            object.strings("sources", manifest.sources.map(\.name))
            object.strings("resources", manifest.resources.map(\.name))
            object.strings("writes", manifest.writes.map(\.name))
            object.string("database", workspace.databasePath)
            if !warnings.isEmpty { object.strings("warnings", warnings) }
            Output.line(object.text)
        } else if options.terminal.isOutput || options.verbose > 0 {
            var parts = [
                MessageFormat.count(manifest.sources.count, "source"),
                MessageFormat.count(manifest.resources.count, "resource"),
            ]
            if manifest.resources.isEmpty {
                parts.append("writes: \(manifest.writes.map(\.name).joined(separator: ", "))")
            }
            let said = parts.joined(separator: ", ")
            options.printMessage("\(manifest.file) is valid: \(said), database \(workspace.databasePath)")
        }
        if !options.json { warnings.forEach { options.printMessage($0) } }
    }
}
