import ArgumentParser
import SidingInspection
import Foundation
import Siding
import SidingChain
import SidingJSON
import SidingSQLite
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
    @Argument(help: "The statement.") var sql: String
    @Option(help: ArgumentHelp("Stop after this time.", valueName: "duration"))
    var timeout = DurationArgument(.seconds(60))

    @Option(
        help: ArgumentHelp(
            "Query the past: 2026-01-31T07:05:00Z, a date, or an age (2h).", valueName: "time"))
    var asOf: MomentArgument?

    func run() async throws {
        try await options.withStore { _, store in
            let printer = QueryPrinter(isJSON: options.json, terminal: options.terminal)
            let watch = Task { try await endProcess(after: printer) }
            defer { watch.cancel() }
            try await store.query(
                sql, timeLimit: timeout.duration, asOf: asOf?.moment(before: WallClock.system.now),
                columns: { printer.begin($0) }, row: { printer.add($0) })
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

/// Prints a query result: row by row for scripts, as one table on a terminal.
private final class QueryPrinter: Sendable {
    private struct State {
        var columns: [String] = []
        var table = Table([])
        var hasHeader = false
        /// Since when SQLite works on the next row; nil while a row is printed.
        var worksSince: ContinuousClock.Instant? = ContinuousClock.now
    }

    private let isJSON: Bool
    private let terminal: Terminal
    private let state = Mutex(State())

    init(isJSON: Bool, terminal: Terminal) {
        self.isJSON = isJSON
        self.terminal = terminal
    }

    func begin(_ names: [String]) {
        state.withLock { $0 = State(columns: names, table: Table(names)) }
    }

    /// The part of `limit` that SQLite has left for the next row; nil if there is none. Printing a row does not count.
    func rest(of limit: Duration) -> Duration? {
        guard let since = state.withLock(\.worksSince) else { return limit }
        let rest = limit - since.duration(to: .now)
        return rest > .zero ? rest : nil
    }

    /// Prints the column names before the first row or at the end, so that a statement that fails early prints nothing.
    private func printHeader() {
        let names = state.withLock { state in
            defer { state.hasHeader = true }
            return state.hasHeader ? [] : state.columns
        }
        if !names.isEmpty { Output.line(names.map(Self.field).joined(separator: "\t")) }
    }

    func add(_ row: [SQLiteValue]) {
        state.withLock { $0.worksSince = nil }
        defer { state.withLock { $0.worksSince = .now } }
        if isJSON {
            Output.line(object(row, state.withLock(\.columns)).text)
        } else if terminal.isOutput {
            state.withLock { $0.table.add(row.map(\.text)) }
        } else {
            printHeader()
            Output.line(row.map { Self.field($0.text) }.joined(separator: "\t"))
        }
    }

    func end() {
        guard !isJSON else { return }
        if terminal.isOutput { state.withLock(\.table).print(terminal) } else { printHeader() }
    }

    private func object(_ row: [SQLiteValue], _ columns: [String]) -> JSONObject {
        var object: JSONObject = [:]
        for (name, cell) in zip(columns, row) {
            switch cell {
            case .null: object.add(name, JSONText.null)
            case .integer(let number): object.add(name, number)
            case .real(let number): object.add(name, number)
            case .text(let text): object.add(name, text)
            case .blob(let bytes): object.add(name, Data(bytes).base64EncodedString())
            }
        }
        return object
    }

    /// Escapes tabs and line breaks, which would break the row.
    private static func field(_ text: String) -> String {
        text.escaping(["\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"])
    }
}

extension SQLiteValue {
    fileprivate var text: String {
        switch self {
        case .null: ""
        case .integer(let number): String(number)
        case .real(let number): number.description
        case .text(let text): text
        case .blob(let bytes):
            "x'" + bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() + "'"
        }
    }
}
