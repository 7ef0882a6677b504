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
            Output.line([
                "valid": true, "file": manifest.file, "sources": manifest.sources.map(\.name),
                "resources": manifest.resources.map(\.name), "writes": manifest.writes.map(\.name),
                "database": workspace.databasePath, "warnings": !warnings.isEmpty ? warnings : nil,
            ])
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
