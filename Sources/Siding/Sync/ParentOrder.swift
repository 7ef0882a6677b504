/// Orders resources for a sync, so that parents come before the resources that fan out over them.
public enum ParentOrder {
    /// `resources` in their order, but each parent before its fan-out resources. A cycle is left as it is.
    public static func parentsFirst(_ resources: [AnyResource]) -> [AnyResource] {
        let byName = Dictionary(resources.map { ($0.name, $0) }) { first, _ in first }
        var ordered: [AnyResource] = []
        var taken: Set<String> = []
        for resource in resources {
            var line: [AnyResource] = []
            var next: AnyResource? = resource
            while let one = next, taken.insert(one.name).inserted {
                line.append(one)
                next = one.forEach.flatMap { byName[$0.resource] }
            }
            ordered += line.reversed()
        }
        return ordered
    }
}
