import ArgumentParser
import Foundation
import HTTPTypes
import Siding
import SidingChain
import SidingJSON
import SidingManifest

/// `siding queue edit ID`
struct QueueEditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit", abstract: "Correct a write: a new entry with a new key takes its place in the lane.",
        discussion: """
            Opens the body in $VISUAL or $EDITOR, unless --body gives it. What was accepted under a key is never sent \
            otherwise under the same key. The new entry is due at once; the next 'siding queue run' or 'siding sync' sends it.
            """)

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The entry's id, or a unique prefix of at least 4 characters.") var id: String
    @Option(help: ArgumentHelp("The new body; @file reads it from a file, - from standard input.", valueName: "body"))
    var body: String?
    @Option(
        name: [.customShort("H"), .customLong("header")],
        help: ArgumentHelp("The header fields, in place of all it has; may be repeated.", valueName: "field"))
    var header: [String] = []
    @Flag(help: "Hold the new entry until it is released.") var hold = false

    func run() async throws {
        try await options.withStore(.readWrite) { _, store in
            guard let entry = try await store.entries(QueueSelection(ids: [id])).first,
                let content = try await store.content(of: entry.id)
            else { throw CommandError(.notFound, "not_found", "no write in the queue begins with '\(id)'") }
            var change = WriteChange(releases: !hold)
            if !header.isEmpty { change.headerFields = try HeaderArguments.fields(header) }
            let type = (change.headerFields ?? content.headerFields)[.contentType]
            if let body { change.body = try BodyArgument.read(body) }
            if body == nil, header.isEmpty { change.body = try await Editor.edited(content.body ?? []) }
            if let body = change.body {
                try BodyArgument.check(body, contentType: type)
                guard body != content.body || change.headerFields != nil else {
                    return options.talk("\(entry.shortID): nothing was changed")
                }
            }
            let replaced = try await store.replace(entry.id, with: change)
            if options.json { return Output.line(Shapes.entry(replaced).text) }
            Output.line(replaced.id)
            options.talk("\(entry.shortID): replaced by \(replaced.shortID)")
        }
    }
}

/// The person's own editor.
enum Editor {
    /// What the person makes of `text`.
    ///
    /// - Throws: ``CommandError`` with 64 where there is no terminal or no editor, 1 where the editor fails.
    static func edited(_ text: [UInt8]) async throws -> [UInt8] {
        let environment = ProcessInfo.processInfo.environment
        guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else {
            throw CommandError(
                .usage, "usage", "there is no terminal for an editor", hint: "give the body: --body @file")
        }
        guard let editor = environment["VISUAL"] ?? environment["EDITOR"], !editor.isEmpty else {
            throw CommandError(.usage, "usage", "neither VISUAL nor EDITOR is set", hint: "give the body: --body @file")
        }
        let file = FileManager.default.temporaryDirectory.appending(path: "siding-\(UUID().uuidString).json")
        guard
            FileManager.default.createFile(
                atPath: file.path, contents: Data(text), attributes: [.posixPermissions: 0o600])
        else { throw CommandError(.inputOutput, "input_output", "\(file.path) cannot be written") }
        defer { try? FileManager.default.removeItem(at: file) }
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        // As git does: the editor may be a command with arguments of its own.
        process.arguments = ["-c", "\(editor) \"$1\"", "sh", file.path]
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw CommandError(
                .failure, "editor", "the editor ended with \(process.terminationStatus); nothing was changed")
        }
        return Array(try Data(contentsOf: file))
    }
}
