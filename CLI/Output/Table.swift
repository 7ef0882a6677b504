// SPDX-License-Identifier: Apache-2.0
import SidingJSON
import SidingChain

/// A table for a terminal: aligned by display width, cut to the terminal's width, free of control characters.
struct Table {
    private let titles: [String]
    private let rightAligned: Set<Int>
    private var rows: [[String]] = []
    /// Below which row a note is.
    private var notes: [Int: String] = [:]
    /// The width of notes where there is no terminal.
    private static let usualWidth = 120
    private static let indent = "    "

    /// - Parameters:
    ///   - titles: one per column; a title that begins with `>` aligns its column to the right.
    init(_ titles: [String]) {
        rightAligned = Set(titles.indices.filter { titles[$0].hasPrefix(">") })
        self.titles = titles.map { PlainText.oneLine($0.hasPrefix(">") ? String($0.dropFirst()) : $0, limit: 200) }
    }

    /// - Parameter note: a sentence that is too long for a column: it is on lines of its own below the row, and never cut.
    mutating func add(_ cells: [String], note: String? = nil) {
        notes[rows.count] = note.map { PlainText.oneLine($0, limit: 2_000) }
        rows.append(cells.map { PlainText.oneLine($0, limit: 2_000) })
    }

    /// The lines of the table, cut to `width` columns; not cut if nil.
    func lines(width: Int?) -> [String] {
        let widths = columnWidths(within: width)
        let title = hasTitles ? [line(titles.map { $0.uppercased() }, widths)] : []
        return title
            + rows.enumerated().flatMap { index, row in
                [line(row, widths)] + (notes[index].map { wrapped($0, to: width ?? Self.usualWidth) } ?? [])
            }
    }

    private func line(_ row: [String], _ widths: [Int]) -> String {
        var line = row.enumerated().map { index, cell in pad(cell, index, widths) }.joined(separator: "  ")
        while line.utf8.last == UInt8(ascii: " ") { line.unicodeScalars.removeLast() }
        return line
    }

    /// The lines of a note, broken between words.
    private func wrapped(_ note: String, to width: Int) -> [String] {
        note.split(separator: " ").reduce(into: [String]()) { lines, word in
            if let last = lines.last, DisplayWidth.of(last) + 1 + DisplayWidth.of(String(word)) <= width {
                lines[lines.count - 1] += " \(word)"
            } else {
                lines.append("\(Self.indent)\(word)")
            }
        }
    }

    /// Prints the table, with bold titles if the terminal has colour.
    func print(_ terminal: Terminal) {
        let lines = lines(width: terminal.isOutput ? terminal.width : nil)
        for (index, line) in lines.enumerated() {
            Output.line(index == 0 && terminal.hasColor && hasTitles ? "\u{1B}[1m\(line)\u{1B}[0m" : line)
        }
    }

    private var hasTitles: Bool { !titles.allSatisfy(\.isEmpty) }

    private func pad(_ cell: String, _ column: Int, _ widths: [Int]) -> String {
        let cut = DisplayWidth.cut(cell, to: widths[column])
        let padding = String(repeating: " ", count: max(widths[column] - DisplayWidth.of(cut), 0))
        return rightAligned.contains(column) ? padding + cut : cut + padding
    }

    /// The natural column widths, with the widest columns shortened until all fit.
    private func columnWidths(within width: Int?) -> [Int] {
        var widths = titles.indices.map { column in
            max(DisplayWidth.of(titles[column]), rows.map { DisplayWidth.of($0[column]) }.max() ?? 0)
        }
        guard let width else { return widths }
        let gaps = 2 * max(widths.count - 1, 0)
        while widths.reduce(0, +) + gaps > width, let widest = widths.max(), widest > 8,
            let column = widths.firstIndex(of: widest)
        {
            widths[column] -= 1
        }
        return widths
    }
}
