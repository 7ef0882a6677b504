// SPDX-License-Identifier: Apache-2.0
/// A reference to a name in `sources:`; optional if there is only one source.
struct SourceReference: Sendable {
    /// The entry that has the reference.
    let subject: Subject
    let name: Located<String>?

    /// The name of the source; nil after a fault was noted.
    ///
    /// - Parameter names: all names in `sources:`, including those of faulty sources.
    func resolved(among names: [String], _ reading: inout Reading) -> String? {
        guard let name else {
            if names.count > 1 {
                let expected = "one of \(names.joined(separator: ", "))"
                reading.fault(
                    "\(subject) has no 'source', and there are several", at: subject.place, expected: expected)
            }
            return names.count == 1 ? names.first : nil
        }
        if names.contains(name.value) { return name.value }
        reading.fault(
            "\(name.subject) is \(Subject.quoted(name.value)), which 'sources' does not have", at: name.place,
            expected: names.isEmpty ? nil : "one of \(names.joined(separator: ", "))",
            suggestion: Suggestion.nearest(to: name.value, among: names))
        return nil
    }
}
