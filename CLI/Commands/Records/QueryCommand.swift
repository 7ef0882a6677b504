// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Siding
import SidingChain
import SidingSynchronization

/// `siding query SQL`: runs read-only SQL over the views.
struct QueryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "query", abstract: "Run one read-only SQL statement over the stored records.",
        discussion: """
            Each resource is a view of its name: siding query 'select title from posts limit 5'
            A statement cannot change anything, and stops after --timeout. With --as-of, the views of resources with
            'history' have their rows of that time.
            """)

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The statement; - reads it from standard input.") var sql: String?
    @Option(name: [.short, .long], help: ArgumentHelp("Read the statement from this file.", valueName: "file"))
    var file: String?
    @Option(
        help: ArgumentHelp(
            "csv, tsv, json, jsonl or table. The default is table on a terminal, jsonl with --json, else tsv.",
            valueName: "format"), completion: .list(QueryFormat.allCases.map(\.rawValue)),
        transform: FormatArgument.read)
    var format: QueryFormat?
    @Option(
        help: ArgumentHelp(
            "The value of the parameter :name in the statement: a number, true, false, null, else a text. Repeatable.",
            valueName: "name=value"))
    var param: [ParameterArgument] = []
    @Option(help: ArgumentHelp("Stop after this time.", valueName: "duration"))
    var timeout = DurationArgument(.seconds(60))

    @Option(
        help: ArgumentHelp(
            "Query the past: 2026-01-31T07:05:00Z, a date, or an age (2h).", valueName: "time"))
    var asOf: MomentArgument?

    func validate() throws {
        if sql == nil, file == nil { throw ValidationError("Give a statement, - for standard input, or --file.") }
        if sql != nil, file != nil { throw ValidationError("Give either a statement or --file.") }
        let names = param.map(\.name)
        if Set(names).count < names.count { throw ValidationError("--param names a parameter twice.") }
    }

    func run() async throws {
        let statement = try file.map(StatementArgument.read(fromFile:)) ?? StatementArgument.read(sql ?? "")
        let parameters = Dictionary(uniqueKeysWithValues: param.map { ($0.name, $0.value) })
        let printer = QueryPrinter(
            format: format ?? (options.json ? .jsonl : options.terminal.isOutput ? .table : .tsv),
            terminal: options.terminal)
        try await options.withStore { _, store in
            let watch = Task { try await endProcess(after: printer) }
            defer { watch.cancel() }
            try await store.query(
                statement, parameters: parameters, timeLimit: timeout.duration,
                asOf: asOf?.moment(before: WallClock.system.now), columns: { printer.begin($0) },
                row: { printer.add($0) })
            printer.end()
        }
    }

    /// Ends the process where SQLite does not stop in time: it cannot be stopped inside one call of a function, such as a
    /// `printf` of a gigabyte.
    private func endProcess(after printer: QueryPrinter) async throws {
        while let rest = printer.rest(of: timeout.duration + .seconds(1)) { try await Task.sleep(for: rest) }
        let error = StoreError(.timeLimit, "Could not run the statement: it took longer than \(timeout.duration)")
        _exit(ErrorReport(error: error, isJSON: options.json).print())
    }
}
