// SPDX-License-Identifier: Apache-2.0
/// The file format of an export.
enum ExportFormat: String, CaseIterable {
    /// One JSON value per line.
    case jsonl
    /// One array, a record per line.
    case json
    case csv
    case tsv

    /// The format for a file name extension; nil if there is none.
    init?(path: String) {
        let name = path.split(separator: "/").last ?? ""
        guard let dot = name.lastIndex(of: ".") else { return nil }
        switch name[name.index(after: dot)...].lowercased() {
        case "jsonl", "ndjson": self = .jsonl
        case "json": self = .json
        case "csv": self = .csv
        case "tsv", "tab": self = .tsv
        default: return nil
        }
    }

    /// Whether the format has columns rather than JSON values.
    var isTable: Bool { self == .csv || self == .tsv }
}
