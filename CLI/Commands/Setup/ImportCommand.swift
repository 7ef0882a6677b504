// SPDX-License-Identifier: Apache-2.0
public import ArgumentParser
import SidingInspection
import Foundation
public import SidingImport
import SidingManifest

extension ImportFormat: ExpressibleByArgument {}

/// `siding import --from dlt|airbyte FILE`: converts another tool's config to a siding.yaml.
struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Turn a dlt REST source or an Airbyte low-code manifest into a siding.yaml.",
        discussion: """
            The config goes to standard output, or into --output. Parts that could not be converted go to standard error, as \
            FILE:line:column: PATH: why / what to do by hand, and into comments of the config. Secrets are never copied: the \
            config names environment variables instead.

            Exit codes: 0 everything was converted, 3 some parts were not, 65 the file is not such a source, 66 no file.
            """)

    @OptionGroup var options: GlobalOptions

    @Option(help: "The format of the file.")
    var from: ImportFormat

    @Argument(help: "The file, JSON or YAML.") var file: String

    @Option(name: [.short, .long], help: ArgumentHelp("The output file; - for standard output.", valueName: "file"))
    var output: String?

    @Flag(help: "Replace an existing output file.")
    var force = false

    func run() throws {
        let output = output == "-" ? nil : output
        let result: ConfigImport
        do throws(ImportError) {
            result = try ConfigImport.load(path: file, format: from, environment: .process)
        } catch {
            throw CommandError(error)
        }
        if let output { try AtomicFile.write(result.config, to: output, replaces: force) }
        if options.json {
            Output.line(Shapes.manifestImport(result).text)
        } else {
            if output == nil { Output.write(Array(result.config.utf8)) }
            for unmapped in result.unmapped { Output.printMessage(unmapped.description) }
            if let output { options.printMessage("wrote \(output); \(next(result))") }
        }
        if !result.unmapped.isEmpty { throw ExitStatus.partial }
    }

    /// The next steps for the user, as a message.
    private func next(_ result: ConfigImport) -> String {
        let secrets =
            result.variables.isEmpty
            ? "" : "set the environment variables \(result.variables.joined(separator: ", ")); "
        return "\(secrets)next: 'siding check', 'siding plan', 'siding sync'"
    }
}

extension CommandError {
    fileprivate init(_ error: ImportError) {
        switch error {
        case .missing: self.init(.notFound, "not_found", error.description)
        case .unreadable: self.init(.inputOutput, "input_output", error.description)
        case .refused: self.init(.data, "import", error.description)
        }
    }
}

extension Shapes {
    fileprivate static func manifestImport(_ result: ConfigImport) -> JSONObject {
        [
            "config": result.config, "variables": result.variables,
            "unmapped": result.unmapped.map { unmapped -> JSONObject in
                [
                    "path": unmapped.path, "line": unmapped.place.line, "column": unmapped.place.column,
                    "reason": unmapped.reason, "hint": unmapped.hint,
                ]
            },
        ]
    }
}
