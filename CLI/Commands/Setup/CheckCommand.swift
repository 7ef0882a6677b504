// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import SidingInspection
import Siding
import SidingChain
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
            Output.line(Config.jsonSchema())
            return
        }
        let workspace = try Workspace.load(options)
        let config = workspace.config
        let faults = await config.secretFaults() + SourceNetwork.certificateFaults(of: config)
        guard faults.isEmpty else { throw ConfigError.invalid(faults) }
        // A sync works in spite of these.
        let others = await config.hookFaults() + config.targetFaults()
        guard others.isEmpty else { throw ConfigError.invalid(others.sorted { $0.place < $1.place }) }
        let warnings = config.resources.flatMap { resource in
            (resource.cautions + resource.ineffectiveKeys(among: config.resources)).map { caution in
                (config.place(ofResource: resource.name).map { "\($0): " } ?? "") + "\(resource.name): \(caution)"
            }
        }
        if options.json {
            Output.line([
                "valid": true, "file": config.file, "sources": config.sources.map(\.name),
                "resources": config.resources.map(\.name), "writes": config.writes.map(\.name),
                "database": workspace.databasePath, "warnings": !warnings.isEmpty ? warnings : nil,
            ])
        } else if options.terminal.isOutput || options.verbose > 0 {
            var parts = [
                MessageFormat.count(config.sources.count, "source"),
                MessageFormat.count(config.resources.count, "resource"),
            ]
            if config.resources.isEmpty {
                parts.append("writes: \(config.writes.map(\.name).joined(separator: ", "))")
            }
            let summary = parts.joined(separator: ", ")
            options.printMessage("\(config.file) is valid: \(summary), database \(workspace.databasePath)")
        }
        if !options.json { warnings.forEach { options.printMessage($0) } }
    }
}
