// SPDX-License-Identifier: Apache-2.0
import ArgumentParser

/// Column names on the command line: `a,b`, quoted as in CSV: `"a, with a comma","a ""quote"""`.
struct ColumnsArgument: ExpressibleByArgument, Sendable {
    let names: [String]

    init?(argument: String) {
        var names: [String] = []
        var rest = argument[...]
        while true {
            guard let name = Self.next(&rest), !name.isEmpty else { return nil }
            names.append(name)
            guard let comma = rest.first else { break }
            guard comma == "," else { return nil }
            rest.removeFirst()
        }
        self.names = names
    }

    /// Removes and returns the next name; nil if a quote is not closed.
    private static func next(_ rest: inout Substring) -> String? {
        guard rest.first == "\"" else {
            let name = rest.prefix { $0 != "," }
            rest = rest[name.endIndex...]
            return String(name)
        }
        rest.removeFirst()
        var name = ""
        while let quote = rest.firstIndex(of: "\"") {
            name += rest[..<quote]
            rest = rest[rest.index(after: quote)...]
            guard rest.first == "\"" else { return name }
            name.append("\"")
            rest.removeFirst()
        }
        return nil
    }
}
