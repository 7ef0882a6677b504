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
        let reserved = ["siding_", "sqlite_"].first { folded(name).hasPrefix($0) }
        return reserved.map { "begins with \($0), which names tables of the database itself" }
    }

    /// The name with ASCII letters in lower case, as SQLite compares names.
    private static func folded(_ name: String) -> String {
        String(String.UnicodeScalarView(name.unicodeScalars.map { $0.isASCII ? fold($0) : $0 }))
    }

    private static func fold(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        scalar.properties.lowercaseMapping.unicodeScalars.first ?? scalar
    }
}
