// SPDX-License-Identifier: Apache-2.0
import Siding
import SidingInspection
import SidingChain
import SidingJSON

/// Formats the rows of an export, one at a time.
struct ExportText {
    let format: ExportFormat
    let selection: RecordExport.Selection
    /// Whether each row carries the record's key, times and run.
    let hasMeta: Bool
    private var names: [String] = []
    /// The view's columns to omit, as Siding's own columns already show them.
    private var hidden: Set<Int> = []
    private(set) var count = ExportCount()

    init(format: ExportFormat, selection: RecordExport.Selection, hasMeta: Bool) {
        (self.format, self.selection, self.hasMeta) = (format, selection, hasMeta)
    }

    /// The text before the first row, such as a CSV header.
    mutating func begin(_ columns: [String]) -> [UInt8] {
        names = columns
        guard format.isTable else { return [] }
        // The view's own key column would repeat Siding's; other columns of such names are members of the records.
        let key = OwnField.key.name
        hidden = Set(columns.indices.filter { ownColumns.contains(.key) && columns[$0] == key })
        let shown = columns.indices.filter { !hidden.contains($0) }.map { columns[$0] }
        let own = ownColumns.map { $0.name(beside: shown) }
        return table.line((own + shown).map { Array($0.utf8) })
    }

    /// - Throws: ``CommandError`` with code 64 if `--with-meta` is given for rows that have no key and times.
    mutating func add(_ row: ExportedRow) throws -> [UInt8] {
        guard row.record != nil || !hasMeta else {
            throw CommandError.usage(
                "elements of nested arrays have no times of their own", hint: "leave out --with-meta")
        }
        defer { count.add(row) }
        guard !format.isTable else { return line(row) }
        let value = value(row)
        switch format {
        case .json: return Array((count.rows == 0 ? "[\n" : ",\n").utf8) + value
        default: return value + [UInt8(ascii: "\n")]
        }
    }

    /// The text after the last row.
    func end() -> [UInt8] {
        guard format == .json else { return [] }
        return Array((count.rows == 0 ? "[]\n" : "\n]\n").utf8)
    }

    // MARK: JSON

    /// Tombstones and changes say little without their key.
    private var isWrapped: Bool { hasMeta || selection != .living }

    private func value(_ row: ExportedRow) -> [UInt8] {
        guard var record = row.record else { return object(row) }
        if !names.isEmpty { record.body = object(row) }
        if isWrapped {
            return Shapes.record(record, change: row.change?.rawValue, hasBody: row.change != .deleted).bytes
        }
        guard names.isEmpty else { return record.body }
        var writer = JSONWriter()
        record.body.withUnsafeBytes { writer.raw($0) }
        return writer.bytes
    }

    private func object(_ row: ExportedRow) -> [UInt8] {
        var object: JSONObject = [:]
        for (name, value) in zip(names, row.values) { value.add(name, to: &object) }
        return object.bytes
    }

    // MARK: Tables

    private var table: DelimitedText { DelimitedText(isCSV: format == .csv) }

    private func line(_ row: ExportedRow) -> [UInt8] {
        let own = ownColumns.map { $0.field(row) }
        // The values of a deleted record are outdated, so they are left empty.
        let values = row.values.indices.filter { !hidden.contains($0) }
            .map { row.change == .deleted ? nil : row.values[$0].field }
        return table.line(own + values)
    }

    /// Siding's own columns, before those of the view.
    private var ownColumns: [OwnField] {
        let change: [OwnField] = if case .changed = selection { [.change] } else { [] }
        let deletion: [OwnField] = selection == .deleted ? [.deletedAt] : []
        let meta: [OwnField] = hasMeta ? [.firstSeenAt, .changedAt, .run] : []
        return change + (selection == .living && !hasMeta ? [] : [.key]) + deletion + meta
    }
}

/// A column of a table with Siding's own metadata about a record.
private enum OwnField: String {
    case change, key, run
    case firstSeenAt = "first_seen_at"
    case changedAt = "changed_at"
    case deletedAt = "deleted_at"

    var name: String { "siding_\(rawValue)" }

    /// The column name, with underscores appended until it differs from all of the view's columns.
    func name(beside columns: [String]) -> String {
        var candidate = name
        while columns.contains(candidate) { candidate += "_" }
        return candidate
    }

    func field(_ row: ExportedRow) -> [UInt8]? {
        let text: String? =
            switch self {
            case .change: row.change?.rawValue
            case .key: row.record?.key
            case .run: row.record.map { String($0.run) }
            case .firstSeenAt: row.record?.firstSeenAt.rfc3339
            case .changedAt: row.record?.changedAt.rfc3339
            case .deletedAt: row.record?.deletedAt?.rfc3339
            }
        return text.map { Array($0.utf8) }
    }
}

/// How many rows were written, by change.
struct ExportCount: Sendable {
    var rows = 0
    var inserted = 0
    var updated = 0
    var deleted = 0

    mutating func add(_ row: ExportedRow) {
        rows += 1
        switch row.change {
        case .inserted: inserted += 1
        case .updated: updated += 1
        case .deleted: deleted += 1
        case nil: break
        }
    }
}
