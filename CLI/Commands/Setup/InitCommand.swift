import ArgumentParser
import Foundation
import SidingManifest

/// `siding init`: writes a commented example config that works unchanged.
struct InitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Write a commented siding.yaml that works unchanged.")

    @OptionGroup var options: GlobalOptions

    @Option(
        help: ArgumentHelp(
            "The example: \(ExampleManifest.all.map(\.name).joined(separator: ", ")).", valueName: "name"))
    var example = ExampleManifest.standard.name

    @Flag(help: "Replace an existing file.")
    var force = false

    @Flag(help: "List the examples, and write none.")
    var list = false

    func run() throws {
        if list { return showExamples() }
        guard let text = ExampleManifest.named(example)?.text else {
            throw CommandError(
                .usage, "usage", "there is no example '\(example)'",
                hint:
                    "there are: \(ExampleManifest.all.map(\.name).joined(separator: ", ")); --list says what they fetch"
            )
        }
        let path = options.config ?? "siding.yaml"
        try AtomicFile.write(text, to: path, replaces: force)
        if options.json {
            Output.line(["path": path, "example": example])
        } else {
            options.printMessage("wrote \(path); next: 'siding check', 'siding plan', 'siding sync'")
        }
    }

    private func showExamples() {
        guard options.json else {
            var table = Table(["example", "what it fetches"])
            ExampleManifest.all.forEach { table.add([$0.name, $0.summary]) }
            return table.print(options.terminal)
        }
        for example in ExampleManifest.all {
            Output.line(["example": example.name, "summary": example.summary])
        }
    }
}
