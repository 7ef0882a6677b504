import ArgumentParser
import Siding
import SidingChain
import SidingSynchronization

/// `siding export RESOURCE`: writes all records of a resource, or the changes since a run, for other programs.
struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write the records of a resource as JSON Lines, JSON, CSV or TSV.",
        discussion: """
            All of it is of one moment, in the order of the keys. A file is made whole or not at all.
            With --changed-since it is what changed after a run, to bring a copy of then up to date; the run to begin with the \
            next time is told on standard error.
            """)

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The resource, or a view of its children.") var resource: String
    @Option(name: [.short, .long], help: ArgumentHelp("The file to make; - for standard output.", valueName: "file"))
    var output: String?
    @Option(
        help: ArgumentHelp(
            "jsonl, json, csv or tsv; left out, as the file's name says, else jsonl.", valueName: "format"))
    var format: ExportFormat?
    @Flag(help: "Replace a file that is there.") var force = false
    @Option(
        help: ArgumentHelp(
            "These columns of the view, a name with a comma in double quotes; in JSON, objects of them.",
            valueName: "a,b"))
    var columns: ColumnsArgument?
    @Flag(help: "Each record's key, times and run, too.") var withMeta = false
    @Flag(help: "The tombstones instead of the living.") var deleted = false
    @Option(
        help: ArgumentHelp(
            "What was inserted, updated and deleted after this run ended; 0 for all that there is.", valueName: "run"))
    var changedSince: RunID?

    func validate() throws {
        if deleted, changedSince != nil { throw ValidationError("--deleted and --changed-since exclude each other.") }
        if let changedSince, changedSince < 0 { throw ValidationError("--changed-since is a run's number, or 0.") }
    }

    func run() async throws {
        let workspace = try Workspace.load(options)
        guard let file else {
            try await tell(export(from: workspace) { StandardOutput() })
            return
        }
        let done = try await Signals.stopping { () async throws -> Summary? in
            do { return try await export(from: workspace) { try AtomicFile(file, replaces: force) } } catch let error
                as StoreError
            {
                guard error.kind == .cancelled else { throw error }
                return nil
            }
        }
        guard let summary = done.value else { throw done.stopped ?? .interrupted }
        tell(summary)
    }

    /// The output file; nil for standard output.
    private var file: String? { output == "-" ? nil : output }

    private var chosenFormat: ExportFormat { format ?? file.flatMap(ExportFormat.init(path:)) ?? .jsonl }

    private var names: [String]? { columns?.names }

    private var wanted: RecordExport {
        let scope: RecordExport.Scope =
            if let changedSince { .changed(since: changedSince) } else { deleted ? .deleted : .living }
        let content: RecordExport.Content =
            if let names { .named(names) } else { chosenFormat.isTable ? .columns : .body }
        return RecordExport(resource, scope: scope, content: content)
    }

    private func export(
        from workspace: Workspace, to make: @Sendable () throws -> any ExportTarget
    ) async throws -> Summary {
        let wanted = wanted
        let text = Mutex(ExportText(format: chosenFormat, scope: wanted.scope, hasMeta: withMeta))
        return try await workspace.withStore(.readOnly) { store in
            let target = try make()
            defer { target.abandon() }
            let run = try await store.export(wanted) { columns in
                try target.write(text.withLock { $0.begin(columns) })
            } row: { row in
                try target.write(text.withLock { try $0.add(row) })
            }
            try target.write(text.withLock { $0.end() })
            try target.finish()
            return Summary(count: text.withLock(\.count), run: run)
        }
    }

    // MARK: Summary

    private struct Summary: Sendable {
        let count: ExportCount
        let run: RunID
    }

    /// Prints the summary. With `--json` it is one object, on standard error if the data goes to standard output.
    private func tell(_ summary: Summary) {
        if options.json {
            let object = object(summary)
            if file == nil { options.talk(object.text) } else { Output.line(object.text) }
            return
        }
        let isWatched = options.terminal.isOutput || options.verbose > 0
        if let file, isWatched { options.talk("wrote \(Words.count(summary.count.rows, "record")) to \(file)") }
        guard changedSince != nil || isWatched else { return }
        options.talk("what changes from now on: --changed-since \(summary.run)")
    }

    private func object(_ summary: Summary) -> JSONObject {
        var object = JSONObject()
        object.string("resource", resource)
        object.string("format", chosenFormat.rawValue)
        object.optional("path", file)
        object.int("records", summary.count.rows)
        if let changedSince {
            object.int("since", changedSince)
            object.int("inserted", summary.count.inserted)
            object.int("updated", summary.count.updated)
            object.int("deleted", summary.count.deleted)
        }
        object.int("run", Int(summary.run))
        return object
    }
}
