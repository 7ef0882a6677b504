// SPDX-License-Identifier: Apache-2.0
/// An entry of `sources:` or `resources:`, as the lines of a file.
package struct ConfigEntry: Sendable {
    /// The name as YAML writes it, in quotes where it needs them.
    package let name: String
    /// The lines below the name, without its indentation. Two spaces in front of a line are one level.
    package let lines: [String]

    package init(name: String, lines: [String]) {
        (self.name, self.lines) = (name, lines)
    }

    /// The entry with `indent` in front of its name, and `step` for each level below.
    package func lines(indent: String, step: String) -> [String] {
        let below = lines.map { line in
            let spaces = line.prefix { $0 == " " }.count
            return indent + String(repeating: step, count: 1 + spaces / 2) + line.dropFirst(spaces)
        }
        return ["\(indent)\(name):"] + below
    }

    /// What YAML reads in these lines; nil if that is not one entry.
    func entry(file: String) -> YAMLEntry? {
        let document = YAMLDocument(lines(indent: "", step: "  ").joined(separator: "\n"), file: file)
        guard document.faults.isEmpty, case .map(let entries)? = document.root?.content, entries.count == 1 else {
            return nil
        }
        return entries[0]
    }
}
