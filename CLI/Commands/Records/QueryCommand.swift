import ArgumentParser
import Foundation
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
            try await store.query(
                sql, timeLimit: timeout.duration, asOf: asOf?.moment(before: WallClock.system.now),
                columns: { printer.begin($0) }, row: { printer.add($0) })
            printer.end()
        }
    }
}

/// Prints a query result: row by row for scripts, as one table on a terminal.
private final class QueryPrinter: Sendable {
    private struct State {
        var columns: [String] = []
        var table = Table([])
        var hasHeader = false
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

    /// Prints the column names before the first row or at the end, so that a statement that fails early prints nothing.
    private func printHeader() {
        let names = state.withLock { state in
            defer { state.hasHeader = true }
            return state.hasHeader ? [] : state.columns
        }
        if !names.isEmpty { Output.line(names.map(Self.field).joined(separator: "\t")) }
    }

    func add(_ row: [QueryCell]) {
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

    private func object(_ row: [QueryCell], _ columns: [String]) -> JSONObject {
        var object = JSONObject()
        for (name, cell) in zip(columns, row) {
            switch cell {
            case .null: object.null(name)
            case .integer(let number): object.int(name, number)
            case .real(let number): object.double(name, number)
            case .text(let text): object.string(name, text)
            case .blob(let bytes): object.string(name, Data(bytes).base64EncodedString())
            }
        }
        return object
    }

    /// Escapes tabs and line breaks, which would break the row.
    private static func field(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\t", with: "\\t").replacing("\n", with: "\\n")
            .replacing("\r", with: "\\r")
    }
}

extension QueryCell {
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
