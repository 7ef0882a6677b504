// SPDX-License-Identifier: Apache-2.0
/// Insertions into the text of a config, and what the text means with them.
///
/// The lines are inserted by the places of YAML's nodes alone. So the result is read again: it must mean what the file meant, with the
/// new entries, or nothing is changed.
struct ConfigEdit {
    private struct Insertion {
        /// From 1.
        let line: Int
        /// From 1; nil for the end of the line.
        let column: Int?
        let text: String
    }

    private let config: EditableConfig
    private let newline: String
    private var insertions: [Insertion] = []
    /// The maps that got a `source`. Entries that repeat one by an alias have its place.
    private var named: Set<Place> = []
    private var expected: [YAMLEntry]

    init(_ config: EditableConfig) {
        self.config = config
        newline = config.lines.first?.unicodeScalars.last == "\r" ? "\r\n" : "\n"
        expected = config.sections
    }

    // MARK: Changes

    /// Appends an entry to a section, or a section with that entry to the file.
    mutating func append(_ entry: ConfigEntry, to name: String) throws(ConfigError) {
        guard let node = entry.entry(file: config.file) else { throw refusal(at: config.root.place) }
        guard let section = config.section(name) else {
            let indent = Self.spaces(config.root.place.column - 1)
            let lines = ["", "\(indent)\(name):"] + entry.lines(indent: "\(indent)  ", step: "  ")
            insert(lines: lines, after: config.lastLine)
            let value = YAMLNode(node.place, .map([node]))
            return expected.append(YAMLEntry(name: name, place: node.place, value: value))
        }
        let (place, column) = (section.value.place, section.value.place.column)
        guard case .map(let entries) = section.value.content, let last = entries.last,
            place.line > section.place.line, column > section.place.column, isInLines(section.value)
        else {
            throw .invalid([
                Fault(
                    place: section.place, message: "'\(name)' is not written in lines, so none can be added to it",
                    expected: "each entry on a line of its own below '\(name):', without braces around all of them")
            ])
        }
        let lastLine = config.lastLine(of: section, entriesIn: column)
        // Entries of several lines are set apart.
        let separator = last.place.line < lastLine ? [""] : []
        let step = Self.spaces(column - section.place.column)
        insert(lines: separator + entry.lines(indent: Self.spaces(column - 1), step: step), after: lastLine)
        change(name) { $0 + [node] }
    }

    /// Inserts `source: NAME` into all resources and writes that have no `source`.
    mutating func insert(source: String) {
        for section in ["resources", "writes"] {
            for entry in config.entries(of: section) { insert(source: source, into: entry.value) }
            change(section) { entries in
                entries.map { entry in
                    guard let members = Self.membersWithoutSource(entry.value) else { return entry }
                    let name = YAMLEntry(
                        name: "source", place: entry.place, value: YAMLNode(entry.place, .scalar(source, isPlain: true))
                    )
                    return YAMLEntry(
                        name: entry.name, place: entry.place, value: YAMLNode(entry.place, .map(members + [name])))
                }
            }
        }
    }

    private mutating func insert(source: String, into value: YAMLNode) {
        let place = value.place
        guard Self.membersWithoutSource(value) != nil, named.insert(place).inserted else { return }
        if config.character(at: place) == "{" {
            insertions.append(Insertion(line: place.line, column: place.column + 1, text: " source: \(source),"))
        } else {
            let text = "source: \(source)\(newline)\(Self.spaces(place.column - 1))"
            insertions.append(Insertion(line: place.line, column: place.column, text: text))
        }
    }

    private static func membersWithoutSource(_ value: YAMLNode) -> [YAMLEntry]? {
        guard case .map(let members) = value.content, !members.contains(where: { $0.name == "source" }) else {
            return nil
        }
        return members
    }

    private mutating func change(_ section: String, _ change: ([YAMLEntry]) -> [YAMLEntry]) {
        expected = expected.map { entry in
            guard entry.name == section, case .map(let entries) = entry.value.content else { return entry }
            let value = YAMLNode(entry.value.place, .map(change(entries)))
            return YAMLEntry(name: entry.name, place: entry.place, value: value)
        }
    }

    private mutating func insert(lines: [String], after line: Int) {
        let text = lines.map { newline + $0 }.joined()
        insertions.append(Insertion(line: line, column: nil, text: text))
    }

    /// Whether a map begins with the name of an entry, and neither with a brace nor with an anchor or an alias.
    private func isInLines(_ map: YAMLNode) -> Bool {
        config.character(at: map.place).map { !["{", "&", "*", "!"].contains($0) } ?? false
    }

    private static func spaces(_ count: Int) -> String { String(repeating: " ", count: max(count, 0)) }

    // MARK: The result

    /// - Throws: ``ConfigError/invalid(_:)`` if the text would not mean what it is meant to.
    func text() throws(ConfigError) -> String {
        let text = inserted()
        let document = YAMLDocument(text, file: config.file)
        let wanted = YAMLNode(config.root.place, .map(expected))
        guard document.faults.isEmpty, document.root?.means(wanted) ?? false else {
            throw refusal(at: config.root.place)
        }
        return text
    }

    private func refusal(at place: Place) -> ConfigError {
        .invalid([
            Fault(
                place: place, message: "the file is written so that nothing can be added without changing other lines",
                expected: "each source and each resource on lines of its own, without anchors")
        ])
    }

    /// The text with all insertions, made from the end to the beginning, so that no place shifts before it is used.
    private func inserted() -> String {
        var lines = config.lines
        let ordered = insertions.enumerated().sorted { one, other in
            let (left, right) = (one.element, other.element)
            return (left.line, left.column ?? .max, one.offset) > (right.line, right.column ?? .max, other.offset)
        }
        for (_, insertion) in ordered where lines.indices.contains(insertion.line - 1) {
            var line = lines[insertion.line - 1].unicodeScalars
            let end = line.last == "\r" ? line.index(before: line.endIndex) : line.endIndex
            let index =
                insertion.column.flatMap { line.index(line.startIndex, offsetBy: $0 - 1, limitedBy: end) } ?? end
            line.insert(contentsOf: insertion.text.unicodeScalars, at: index)
            lines[insertion.line - 1] = String(line)
        }
        return lines.joined(separator: "\n")
    }
}
