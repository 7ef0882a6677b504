// SPDX-License-Identifier: Apache-2.0
/// Checks resource names: each is the name of a view, beside tables of Siding and SQLite.
enum ResourceNames {
    static func check(_ entries: [YAMLEntry], _ reading: inout Reading) {
        var known: [String: YAMLEntry] = [:]
        for entry in entries {
            if let reason = refusal(entry.name) {
                let message = "the name of resource \(Subject.quoted(entry.name)) \(reason)"
                reading.fault(message, at: entry.place, expected: "a name such as issues, at most 100 characters")
            } else if let other = known[folded(entry.name)] {
                reading.fault(
                    "resource \(Subject.quoted(entry.name)) differs from \(Subject.quoted(other.name)) in case alone, and "
                        + "SQLite takes both for one view", at: entry.place)
            }
            known[folded(entry.name)] = entry
        }
    }

    private static func refusal(_ name: String) -> String? {
        if name.isEmpty { return "is empty" }
        if name.unicodeScalars.count > 100 { return "is longer than 100 characters" }
        if name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
            return "holds a control character"
        }
        if functions.contains(folded(name)) || folded(name).hasPrefix("pragma_") {
            return "is the name of a table-valued function of SQLite"
        }
        let reserved = ["siding_", "sqlite_"].first { folded(name).hasPrefix($0) }
        return reserved.map { "begins with \($0), which names tables of the database itself" }
    }

    /// A view of such a name could not be dropped (sqlite.org/vtab.html, section 2.1.2).
    private static let functions: Set = [
        "json_each", "json_tree", "dbstat", "fts5vocab", "fts3tokenize", "bytecode", "tables_used",
    ]

    /// The name in lower case: SQLite compares ASCII letters without case, and people take others for the same, too.
    private static func folded(_ name: String) -> String { name.lowercased() }
}
