internal import SidingJSON

/// A place around the records at which an origin reports what concerns the whole listing.
struct ExtentPlace {
    let path: JSONPath
    /// The member's name as it is written.
    let member: String
    /// The member's name, with those on the way to it that are no usual containers: `total.count`.
    let name: ExtentName
    let isSummary: Bool
    /// Whether it is in a `status`, which may be that of a job.
    let isState: Bool
    /// Whether it is in an object about pages, such as `pagination`.
    let isAboutPages: Bool

    /// - Parameter steps: the names on the way from the records, nil for an element of an array.
    /// - Returns: nil if they lead through an array.
    init?(_ path: JSONPath, _ steps: [ExtentName?]) {
        var names = steps.compactMap(\.self)
        guard names.count == steps.count, case .member(let member)? = path.components.last else { return nil }
        let containers = names.dropLast()
        isSummary = containers.contains { $0.words.contains("summary") }
        isState = containers.contains { $0.words == ["status"] }
        isAboutPages = containers.contains(where: \.isAboutPages)
        // Elasticsearch: `hits.total.value`.
        if names.count > 1, names.last?.words == ["value"] { names.removeLast() }
        // `meta.api.v1.pagination.total`: from one container to another.
        if names.count > 2, names[0].isContainer, names[names.count - 2].isAboutPages {
            names.removeFirst(names.count - 1)
        }
        while names.count > 1, names[0].isContainer { names.removeFirst() }
        (self.path, self.member, name) = (path, member, ExtentName(words: names.flatMap(\.words)))
    }
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
