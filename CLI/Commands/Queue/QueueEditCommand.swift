// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import HTTPTypes
import Siding
import SidingChain
import SidingJSON
import SidingManifest
import Subprocess
import SystemPackage

/// `siding queue edit`: replaces writes with corrected ones.
struct QueueEditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit",
        abstract: "Correct writes: a new entry with a new key replaces each one in its lane.",
        discussion: """
            Opens the body of one entry in $VISUAL or $EDITOR, unless --body, --header or --url gives the change. A new \
            entry gets a new key, because a request never changes under its key. It is due at once; the next 'siding queue \
            run' or 'siding sync' sends it.
            """)

    @OptionGroup var action: ActionOptions
    @Option(
        name: [.customShort("d"), .long, .customLong("data")],
        help: ArgumentHelp("The new body; @file reads it from a file, - from standard input.", valueName: "body"))
    var body: String?
    @Option(
        name: [.customShort("H"), .customLong("header")],
        help: ArgumentHelp(
            "A header field; together they replace all that the entry has. May be repeated.", valueName: "field"))
    var header: [String] = []
    @Option(help: ArgumentHelp("The new path below the source's base_url, or a URL of its origin.", valueName: "url"))
    var url: String?
    @Flag(help: "Hold the new entry until it is released.") var hold = false

    func validate() throws {
        if body == "-", action.selection.readsStandardInput {
            throw ValidationError("Standard input gives ids or the body, not both.")
        }
    }

    func run() async throws {
        let status = try await action.options.withStore(.readWrite) { workspace, store in
            let meant = try await store.entries(action.chosenSurely(workspace, store))
            try action.checkMeansAny(meant)
            guard let change = try await change(of: meant, workspace.config, store) else { return ExitStatus.success }
            // Exactly the entries that were examined, not those queued since, and none that was put in doubt since.
            var examined = QueueSelection(ids: meant.map(\.id))
            examined.exceptReasons = Set(ActionOptions.doubtful).subtracting(meant.compactMap(\.reason))
            return try await action.perform(.replace(change), on: examined, of: store).status
        }
        if status != .success { throw status }
    }

    /// The edit for all selected entries; nil if the user changed nothing.
    private func change(
        of meant: [QueueEntry], _ config: Config, _ store: Store
    ) async throws -> WriteChange? {
        var change = WriteChange(releases: !hold)
        if !header.isEmpty { change.headerFields = try HeaderArguments.fields(header) }
        if let url { change.url = try WriteTarget.url(url, for: meant, in: config) }
        if let body { change.body = try BodyArgument.read(body) }
        let isTold = body != nil || !header.isEmpty || url != nil
        if !isTold {
            try action.checkMeansOne(
                meant, "an editor", hint: "say what to change in all of them: --body, --header or --url")
            change.body = try await edited(meant, store)
            if change.body == nil { return nil }
        }
        try await check(change, meant, store)
        try WriteTarget.check(change, of: meant, in: config)
        return change
    }

    /// The body of the one entry after editing; nil if unchanged.
    private func edited(_ meant: [QueueEntry], _ store: Store) async throws -> [UInt8]? {
        guard let entry = meant.first else { return nil }
        let body = try await store.content(of: entry.id)?.body ?? []
        let edited = try await Editor.edited(body)
        guard edited != body else {
            action.options.printMessage("\(entry.shortID): nothing was changed")
            return nil
        }
        return edited
    }

    /// Checks that the new body is JSON if any of the entries has a JSON content type.
    private func check(_ change: WriteChange, _ meant: [QueueEntry], _ store: Store) async throws {
        guard let body = change.body else { return }
        if let fields = change.headerFields { return try BodyArgument.check(body, contentType: fields[.contentType]) }
        var types: Set<String> = []
        for entry in meant {
            guard let type = try await store.content(of: entry.id)?.headerFields[.contentType] else { continue }
            if types.insert(type).inserted { try BodyArgument.check(body, contentType: type) }
        }
    }
}

/// Runs the user's editor.
enum Editor {
    /// Opens `text` in `$VISUAL` or `$EDITOR` and returns the edited text.
    ///
    /// - Throws: ``CommandError`` with code 64 without a terminal or an editor, 1 if the editor fails.
    static func edited(_ text: [UInt8]) async throws -> [UInt8] {
        let environment = ProcessInfo.processInfo.environment
        guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else {
            throw CommandError.usage("an editor needs a terminal", hint: "give the body: --body @file")
        }
        guard let editor = environment["VISUAL"] ?? environment["EDITOR"], !editor.isEmpty else {
            throw CommandError.usage("neither VISUAL nor EDITOR is set", hint: "give the body: --body @file")
        }
        let file = FileManager.default.temporaryDirectory.appending(path: "siding-\(UUID().uuidString).json")
        guard
            FileManager.default.createFile(
                atPath: file.path, contents: Data(text), attributes: [.posixPermissions: 0o600])
        else { throw CommandError(.inputOutput, "input_output", "\(file.path) cannot be written") }
        defer { try? FileManager.default.removeItem(at: file) }
        // Like git: the editor may be a command with arguments. It stays in this process group, which has the terminal.
        let end = try await Subprocess.run(
            .path("/bin/sh"), arguments: ["-c", "\(editor) \"$1\"", "sh", file.path],
            input: .currentStandardInput, output: .currentStandardOutput, error: .currentStandardError)
        switch end.terminationStatus {
        case .exited(0): break
        case .exited(let code), .signaled(let code):
            throw CommandError(.failure, "editor", "the editor ended with \(code); nothing was changed")
        }
        return try BodyArgument.read("@\(file.path)")
    }
}
