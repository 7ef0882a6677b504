// SPDX-License-Identifier: Apache-2.0
import Siding
import SidingInspection
import SidingJSON
import SidingSynchronization

/// The format of a query's result.
enum QueryFormat: String, CaseIterable {
    case csv
    case tsv
    /// One array, an object per line.
    case json
    /// One object per line.
    case jsonl
    /// Aligned columns, for people.
    case table
}

/// Prints the result of a query: row by row, or as one table.
final class QueryPrinter: Sendable {
    private struct State {
        var columns: [String] = []
        var table = Table([])
        var rows = 0
        var hasHeader = false
        /// Since when SQLite works on the next row; nil while a row is printed.
        var worksSince: ContinuousClock.Instant? = ContinuousClock.now
    }

    private let format: QueryFormat
    private let terminal: Terminal
    private let output: StandardOutput
    private let state = Mutex(State())

    init(format: QueryFormat, terminal: Terminal) {
        self.format = format
        self.terminal = terminal
        output = StandardOutput(isTerminal: terminal.isOutput)
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

    func add(_ row: [ColumnValue]) {
        state.withLock { $0.worksSince = nil }
        defer {
            state.withLock {
                $0.rows += 1
                $0.worksSince = .now
            }
        }
        switch format {
        case .table: state.withLock { $0.table.add(row.map(Self.text)) }
        case .csv, .tsv:
            printHeader()
            output.write(text.line(row.map(\.field)))
        case .jsonl: output.write(object(row) + Array("\n".utf8))
        case .json: output.write(Array((state.withLock(\.rows) == 0 ? "[\n" : ",\n").utf8) + object(row))
        }
    }

    func end() {
        switch format {
        case .table: state.withLock(\.table).print(terminal)
        case .csv, .tsv: printHeader()
        case .jsonl: break
        case .json: output.write(Array((state.withLock(\.rows) == 0 ? "[]\n" : "\n]\n").utf8))
        }
    }

    private var text: DelimitedText { DelimitedText(isCSV: format == .csv) }

    /// Prints the column names before the first row or at the end, so that a statement that fails early prints nothing.
    private func printHeader() {
        let names = state.withLock { state in
            defer { state.hasHeader = true }
            return state.hasHeader ? [] : state.columns
        }
        if !names.isEmpty { output.write(text.line(names.map { Array($0.utf8) })) }
    }

    private static func text(_ value: ColumnValue) -> String { String(decoding: value.field ?? [], as: UTF8.self) }

    private func object(_ row: [ColumnValue]) -> [UInt8] {
        var object: JSONObject = [:]
        for (name, value) in zip(state.withLock(\.columns), row) { value.add(name, to: &object) }
        return object.bytes
    }
}
