/// The order of the resources of a run. Sources are synced side by side, so that one that hangs or has to wait holds up its own
/// resources alone. Of each source one resource is synced at a time, and a fan-out resource begins after its parent, whichever
/// source that belongs to.
///
/// Reports keep the order of the resources, however their syncs end.
struct SyncOrder {
    /// The most sources that a run, or a service, syncs at once: each holds pages in memory, and all of them share one writer.
    static let mostSources = 16

    private let resources: [AnyResource]
    private let most: Int
    private var waiting: [AnyResource]
    private var underWay: [AnyResource] = []
    private var done: [String: SyncReport] = [:]
    /// Those whose turn has come.
    private(set) var reports: [SyncReport] = []

    /// - Parameters:
    ///   - resources: each with a name of its own, parents first.
    ///   - most: how many are synced at once.
    init(_ resources: [AnyResource], most: Int = Self.mostSources) {
        (self.resources, self.most, waiting) = (resources, most, resources)
    }

    /// Takes the next resource that may begin; nil if none may before another one ends.
    mutating func begin() -> AnyResource? {
        guard underWay.count < most, let index = waiting.indices.first(where: { mayBegin($0) }) else { return nil }
        let resource = waiting.remove(at: index)
        underWay.append(resource)
        return resource
    }

    private func mayBegin(_ index: Int) -> Bool {
        let resource = waiting[index]
        guard !underWay.contains(where: { $0.source.name == resource.source.name }) else { return false }
        guard let parent = resource.forEach?.resource else { return true }
        // Only those before it count, so that no circle waits for itself.
        return !underWay.contains { $0.name == parent } && !waiting[..<index].contains { $0.name == parent }
    }

    /// Takes the report of a resource that has ended.
    ///
    /// - Returns: the reports whose turn has come now.
    mutating func end(_ report: SyncReport) -> [SyncReport] {
        underWay.removeAll { $0.name == report.result.resource }
        done[report.result.resource] = report
        return take(resources[reports.count...].prefix { done[$0.name] != nil })
    }

    /// The reports that waited for a resource which never began.
    mutating func endAll() -> [SyncReport] { take(resources[reports.count...]) }

    private mutating func take(_ resources: ArraySlice<AnyResource>) -> [SyncReport] {
        let next = resources.compactMap { done.removeValue(forKey: $0.name) }
        reports += next
        return next
    }
}

extension SyncOptions {
    /// The most sources at once. A run that ends at its first failure, or after a number of bytes, sends one request at a time.
    var mostSources: Int { failsFast || maxBytes != nil ? 1 : SyncOrder.mostSources }
}
