// SPDX-License-Identifier: Apache-2.0
/// Reads the keys of one map.
struct ObjectReader: Sendable {
    let place: Place
    private let entries: [YAMLEntry]

    init(_ entries: [YAMLEntry], place: Place) {
        self.entries = entries
        self.place = place
    }

    /// The value of `keyword`; nil if it is missing, or invalid, which is then noted as a fault.
    func value<Value>(_ keyword: Keyword<Value>, _ reading: inout Reading) -> Value? {
        located(keyword, &reading)?.value
    }

    /// The value of `keyword` with its position.
    func located<Value>(_ keyword: Keyword<Value>, _ reading: inout Reading) -> Located<Value>? {
        guard let entry = entry(keyword.name) else { return nil }
        let subject = reading.subject.member(entry.name, at: entry.place)
        let value = reading.about(subject) { keyword.type.read(entry.value, &$0) }
        return value.map { Located(value: $0, place: entry.value.place, subject: subject) }
    }

    func entry(_ name: String) -> YAMLEntry? { entries.first { $0.name == name } }

    /// The names in the map under `keyword`, also those of invalid members.
    func names<Value>(in keyword: Keyword<Value>) -> [String] {
        guard case .map(let entries) = entry(keyword.name)?.value.content else { return [] }
        return entries.map(\.name)
    }

    /// Notes faults for unknown and missing keys.
    func check(against keywords: [KeywordEntry], also: Set<String>, _ reading: inout Reading) {
        var misspelt: Set<String> = []
        for entry in entries where !also.contains(entry.name) {
            if let meant = check(entry, against: keywords, &reading) { misspelt.insert(meant) }
        }
        for keyword in keywords
        where keyword.isRequired && self.entry(keyword.name) == nil && !misspelt.contains(keyword.name) {
            let owner = Subject(key: nil, owner: reading.subject.ownerOfMembers, place: place)
            reading.fault("\(owner) has no '\(keyword.name)'", at: missingPlace(reading), expected: keyword.expected)
        }
    }

    /// The position for a missing key: the owner's key, or the start of the file.
    private func missingPlace(_ reading: Reading) -> Place {
        reading.subject.ownerOfMembers.isEmpty ? place : reading.subject.place
    }

    /// In a map with more keys than this, unknown keys are hardly typing errors.
    private static let mostKeysWorthASuggestion = 200

    /// Checks one key and returns the keyword that it probably misspells, so that it is not also reported as missing.
    private func check(_ entry: YAMLEntry, against keywords: [KeywordEntry], _ reading: inout Reading) -> String? {
        if keywords.contains(where: { $0.name == entry.name }) || reading.refuseRemovedKey(entry) { return nil }
        let isWorthASuggestion = entries.count <= Self.mostKeysWorthASuggestion
        let meant = isWorthASuggestion ? Suggestion.nearest(to: entry.name, among: keywords.map(\.name)) : nil
        let known = keywords.map(\.name).joined(separator: ", ")
        reading.fault(
            "unknown key \(Subject.quoted(entry.name))\(reading.subject.inOwner)", at: entry.place,
            expected: known.isEmpty ? "no key" : "one of \(known)", suggestion: meant)
        return meant
    }
}

/// A value with its position and its name in messages.
struct Located<Value: Sendable>: Sendable {
    let value: Value
    let place: Place
    let subject: Subject
}
