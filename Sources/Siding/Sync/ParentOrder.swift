/// The order in which resources are synced whose listings are about each other's records.
public enum ParentOrder {
    /// `resources` as they are, but each parent before what is listed for its records. A circle is left as it is.
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
