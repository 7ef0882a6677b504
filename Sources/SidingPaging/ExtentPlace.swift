// SPDX-License-Identifier: Apache-2.0
internal import SidingJSON

/// A place around the records at which an origin reports what concerns the whole listing.
struct ExtentPlace {
    /// The member's name as it is written.
    let member: String
    /// The member's name, behind those on the way to it that are no usual containers: `total.count` is `totalcount`.
    let name: ExtentName
    /// Those of the objects on the way to it.
    let containers: ArraySlice<ExtentName>

    var isAboutPages: Bool { containers.contains(where: \.isAboutPages) }

    /// - Parameter steps: the names on the way from the records, nil for an element of an array.
    /// - Returns: nil if they lead through an array.
    init?(_ path: JSONPath, _ steps: [ExtentName?], _ recordNames: RecordNames) {
        var names = steps.compactMap(\.self)
        guard names.count == steps.count, case .member(let member)? = path.components.last else { return nil }
        (self.member, containers) = (member, names.dropLast())
        // Elasticsearch: `hits.total.value`.
        if names.count > 1, names.last?.spelling == "value" { names.removeLast() }
        // `meta.api.v1.pagination.total`: from one container to another.
        if names.count > 2, names[0].isContainer, names[names.count - 2].isAboutPages {
            names.removeFirst(names.count - 1)
        }
        while names.count > 1, names[0].isContainer { names.removeFirst() }
        name = names.count == 1 ? names[0] : ExtentName(spelling: names.map(\.spelling).joined(), recordNames)
    }

    /// Whether the name of an object on the way to it has `word`.
    func isIn(_ word: String) -> Bool { containers.contains { $0.spelling.contains(word) } }
}

extension JSONPath {
    /// The components behind those that lead to the records, too. Where the records are in an element of an array, another
    /// element may tell about them: `[{"total": 150}, […]]`.
    func components(around records: JSONPath) -> ArraySlice<Component> {
        var (rest, prefix) = (components[...], records.withoutEach.components[...])
        while rest.count > 1, let step = rest.first, step == prefix.first {
            (rest, prefix) = (rest.dropFirst(), prefix.dropFirst())
        }
        if rest.count > 1, case .index? = rest.first, case .index? = prefix.first { rest.removeFirst() }
        return rest
    }
}
