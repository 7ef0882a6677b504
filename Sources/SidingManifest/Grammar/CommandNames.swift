// SPDX-License-Identifier: Apache-2.0
/// The names of sources and targets, which people type in commands.
enum CommandNames {
    /// Checks all names of a map.
    ///
    /// - Parameter kind: what they name, for faults.
    static func check(_ kind: String) -> @Sendable ([YAMLEntry], inout Reading) -> Void {
        { entries, reading in
            for entry in entries where entry.name.wholeMatch(of: /[a-z][a-z0-9_-]{0,99}/) == nil {
                let lower = entry.name.lowercased().replacing(" ", with: "_")
                reading.fault(
                    "the name of \(kind) \(Subject.quoted(entry.name)) cannot be used in commands", at: entry.place,
                    expected: "a lower case letter, then lower case letters, digits, _ or -",
                    suggestion: lower.wholeMatch(of: /[a-z][a-z0-9_-]{0,99}/) == nil ? nil : lower)
            }
        }
    }
}
