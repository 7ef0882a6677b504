// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import SidingInspection
import Siding
import SidingChain
import SidingSynchronization

/// `siding export RESOURCE`: writes all records of a resource, or the changes since a run, for other programs.
struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write the records of a resource as JSON Lines, JSON, CSV or TSV.",
        discussion: """
            The export is a snapshot of one moment, in the order of the keys. A file is made whole or not at all.
            With --changed-since it has only the records that changed after a run, to update an earlier copy. Standard error \
            names the run for the next time.
            """)

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The resource, or a view of its children.") var resource: String
    @Option(name: [.short, .long], help: ArgumentHelp("The output file; - for standard output.", valueName: "file"))
    var output: String?
    @Option(
        help: ArgumentHelp(
            "jsonl, json, csv or tsv. The default follows the file's name, else jsonl.", valueName: "format"),
        completion: .list(ExportFormat.allCases.map(\.rawValue)), transform: FormatArgument.read)
    var format: ExportFormat?
    @Flag(help: "Replace an existing file.") var force = false
    @Option(
        help: ArgumentHelp(
            "Only these columns of the view; a name with a comma in double quotes. JSON formats get objects of them.",
            valueName: "a,b"))
    var columns: ColumnsArgument?
    @Flag(help: "Add each record's key, times and run.") var withMeta = false
    @Flag(help: "Tombstones instead of live records.") var deleted = false
    @Option(
        help: ArgumentHelp(
            "Only records inserted, updated or deleted after this run ended; 0 for all, to begin an empty copy.",
            valueName: "run"))
    var changedSince: RunID?

    func validate() throws {
        if deleted, changedSince != nil { throw ValidationError("--deleted and --changed-since exclude each other.") }
        if format == nil, file?.lowercased().hasSuffix(".parquet") == true { throw FormatArgument.parquet }
        if let changedSince, changedSince < 0 {
            throw ValidationError("--changed-since takes the number of a run, or 0.")
        }
    }

    func run() async throws {
        let workspace = try Workspace.load(options)
        guard let file else {
            try await tell(export(from: workspace) { StandardOutput(isTerminal: options.terminal.isOutput) })
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
        let selection: RecordExport.Selection =
            if let changedSince { .changed(since: changedSince) } else { deleted ? .deleted : .living }
        let content: RecordExport.RowContent =
            if let names { .named(names) } else { chosenFormat.isTable ? .columns : .body }
        return RecordExport(resource, selection: selection, content: content)
    }

    private func export(
        from workspace: Workspace, to make: @Sendable () throws -> any ExportTarget
    ) async throws -> Summary {
        let wanted = wanted
        let text = Mutex(ExportText(format: chosenFormat, selection: wanted.selection, hasMeta: withMeta))
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
            if file == nil { options.printMessage(object.text) } else { Output.line(object.text) }
            return
        }
        let isWatched = options.terminal.isOutput || options.verbose > 0
        if let file, isWatched {
            options.printMessage("wrote \(MessageFormat.count(summary.count.rows, "record")) to \(file)")
        }
        guard changedSince != nil || isWatched else { return }
        options.printMessage("later changes: --changed-since \(summary.run)")
    }

    private func object(_ summary: Summary) -> JSONObject {
        var object: JSONObject = [
            "resource": resource, "format": chosenFormat.rawValue, "path": file, "records": summary.count.rows,
        ]
        if let changedSince {
            object.add([
                "since": changedSince, "inserted": summary.count.inserted, "updated": summary.count.updated,
                "deleted": summary.count.deleted,
            ])
        }
        object.add("run", Int(summary.run))
        return object
    }
}
