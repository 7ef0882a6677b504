// SPDX-License-Identifier: Apache-2.0
/// The text of a config, to which a source and a resource can be added. All other lines stay as they are written.
package struct EditableConfig: Sendable {
    package let text: String
    let file: String
    let root: YAMLNode
    let sections: [YAMLEntry]
    /// The lines without their line feeds.
    let lines: [String]
    private let source: SourceText

    /// - Throws: ``ConfigError/invalid(_:)`` if the text is not a map in YAML.
    package init(_ text: String, file: String) throws(ConfigError) {
        let document = YAMLDocument(text, file: file)
        guard document.faults.isEmpty, let root = document.root, case .map(let sections) = root.content else {
            throw .invalid(document.faults)
        }
        (self.text, self.file, self.root, self.sections) = (text, file, root, sections)
        lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
        source = SourceText(text, file: file)
    }

    /// The text with these entries at the end of `sources:` and `resources:`.
    ///
    /// If `source` is the second one, it also inserts the name of the first into all entries that name none.
    ///
    /// - Throws: ``ConfigError/invalid(_:)`` if the file is not written in lines to which others can be added.
    package func adding(source: ConfigEntry?, resource: ConfigEntry) throws(ConfigError) -> String {
        var edit = ConfigEdit(self)
        if let source {
            if let only = onlySource { edit.insert(source: only) }
            try edit.append(source, to: "sources")
        }
        try edit.append(resource, to: "resources")
        return try edit.text()
    }

    /// Whether the source of this name has the members that `lines` declare.
    package func source(_ name: String, has lines: [String]) -> Bool {
        guard case .map(let members)? = entries(of: "sources").first(where: { $0.name == name })?.value.content else {
            return false
        }
        // Without a line there is nothing below the name, which is not a map.
        guard !lines.isEmpty else { return true }
        guard case .map(let declared)? = ConfigEntry(name: "source", lines: lines).entry(file: file)?.value.content
        else {
            return false
        }
        return declared.allSatisfy { wanted in
            members.contains { $0.name == wanted.name && $0.value.means(wanted.value) }
        }
    }

    private var onlySource: String? {
        let sources = entries(of: "sources")
        return sources.count == 1 ? sources[0].name : nil
    }

    func section(_ name: String) -> YAMLEntry? { sections.first { $0.name == name } }

    func entries(of section: String) -> [YAMLEntry] {
        guard case .map(let entries)? = self.section(section)?.value.content else { return [] }
        return entries
    }

    func character(at place: Place) -> Unicode.Scalar? { source.character(at: place) }

    // MARK: Lines, counted from 1

    /// The last line of a section whose entries begin in `column`. Comments further to the left belong to what follows.
    func lastLine(of section: YAMLEntry, entriesIn column: Int) -> Int {
        let next = sections.map(\.place.line).filter { $0 > section.place.line }.min() ?? documentEnd
        return (section.place.line..<max(next, section.place.line + 1)).last { number in
            guard let line = line(number), let indent = line.firstIndex(where: { !$0.isWhitespace }) else {
                return false
            }
            return line[indent] != "#" || line.distance(from: line.startIndex, to: indent) >= column - 1
        } ?? section.place.line
    }

    /// The last line of the document that is not blank.
    var lastLine: Int { (1..<documentEnd).last { line($0)?.contains { !$0.isWhitespace } ?? false } ?? 1 }

    /// The line behind the document.
    private var documentEnd: Int {
        1 + (lines.firstIndex { $0.prefix(3) == "..." && $0.dropFirst(3).allSatisfy(\.isWhitespace) } ?? lines.count)
    }

    private func line(_ number: Int) -> String? { lines.indices.contains(number - 1) ? lines[number - 1] : nil }
}

extension YAMLNode {
    /// Whether both have the same values under the same names, wherever they are written and in whatever order.
    func means(_ other: YAMLNode) -> Bool {
        switch (content, other.content) {
        case (.scalar(let text, _), .scalar(let otherText, _)):
            return text == otherText && isNull == other.isNull
        case (.list(let items), .list(let others)):
            return items.count == others.count && zip(items, others).allSatisfy { $0.means($1) }
        case (.map(let entries), .map(let others)):
            let values = Dictionary(others.map { ($0.name, $0.value) }) { first, _ in first }
            return entries.count == others.count
                && entries.allSatisfy { entry in values[entry.name].map(entry.value.means) ?? false }
        default: return false
        }
    }
}
