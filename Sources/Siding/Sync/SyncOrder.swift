// SPDX-License-Identifier: Apache-2.0
/// The order of the work of a run. Sources are worked for side by side, so that one that hangs or has to wait holds up its own work
/// alone. Of each source the due writes are sent first, where the run sends any, so that the records that are fetched then include
/// them. After that one resource is synced at a time, and a fan-out resource begins after its parent, whichever source that
/// belongs to. Writes that are due once a resource was answered are sent after it, as its answer may have ended an outage. A source
/// of whose writes one failed gets no further step: a write that always fails would use up its tries in one run.
///
/// Reports keep the order of the resources, however their syncs end, and are given while no write waits to be sent.
struct SyncOrder {
    /// What may begin.
    enum Turn {
        /// The due writes of this source.
        case writes(of: String)
        case resource(AnyResource)
    }

    private let resources: [AnyResource]
    private let most: Int
    private var writes: SendingOrder
    private var waiting: [AnyResource]
    private var underWay: [AnyResource] = []
    /// The sources of whose writes one failed, and is to be tried again.
    private var failed: Set<String> = []
    private var done: [String: SyncReport] = [:]
    /// Those whose turn has come.
    private(set) var reports: [SyncReport] = []

    /// - Parameters:
    ///   - resources: each with a name of its own, parents first.
    ///   - sources: whose due writes are sent.
    ///   - most: how many resources are synced at once; with 1, none while writes are being sent.
    init(_ resources: [AnyResource], sending sources: [String] = [], most: Int = SendingOrder.mostSources) {
        (self.resources, self.most, waiting, writes) = (resources, most, resources, SendingOrder(sources))
    }

    /// Takes what may begin next; nil if nothing may before something else ends.
    mutating func begin() -> Turn? {
        if let source = writes.begin(besides: underWay.map(\.source.name)) { return .writes(of: source) }
        guard writes.underWay.count + underWay.count < most, let index = waiting.indices.first(where: { mayBegin($0) })
        else { return nil }
        let resource = waiting.remove(at: index)
        underWay.append(resource)
        return .resource(resource)
    }

    private func isBusy(_ source: String) -> Bool {
        writes.underWay.contains(source) || underWay.contains { $0.source.name == source }
    }

    private func mayBegin(_ index: Int) -> Bool {
        let resource = waiting[index]
        guard !isBusy(resource.source.name), !writes.waiting.contains(resource.source.name) else { return false }
        guard let parent = resource.forEach?.resource else { return true }
        // Only those before it count, so that no circle waits for itself.
        return !underWay.contains { $0.name == parent } && !waiting[..<index].contains { $0.name == parent }
    }

    /// Takes that the due writes of a source were sent.
    ///
    /// - Parameters:
    ///   - due: sources whose writes are to be sent once more, as some have become due.
    ///   - hasFailed: whether one of them failed, and is to be tried again.
    /// - Returns: the reports whose turn has come now.
    mutating func endWrites(of source: String, due: Set<String>, hasFailed: Bool = false) -> [SyncReport] {
        if hasFailed { failed.insert(source) }
        writes.end(source, due: due.subtracting(failed))
        return takeReady()
    }

    /// Takes the report of a resource that has ended.
    ///
    /// - Parameter due: sources whose writes have become due.
    /// - Returns: the reports whose turn has come now.
    mutating func end(_ report: SyncReport, due: Set<String> = []) -> [SyncReport] {
        underWay.removeAll { $0.name == report.result.resource }
        writes.add(due.subtracting(failed))
        done[report.result.resource] = report
        return takeReady()
    }

    private mutating func takeReady() -> [SyncReport] {
        guard writes.isDone else { return [] }
        return take(resources[reports.count...].prefix { done[$0.name] != nil })
    }

    /// The reports that waited for something which never began.
    mutating func endAll() -> [SyncReport] { take(resources[reports.count...]) }

    private mutating func take(_ resources: ArraySlice<AnyResource>) -> [SyncReport] {
        let next = resources.compactMap { done.removeValue(forKey: $0.name) }
        reports += next
        return next
    }
}

extension SyncOptions {
    /// The most sources at once. A run that ends at its first failure, or after a number of bytes, sends one request at a time.
    var mostSources: Int { failsFast || maxBytes != nil ? 1 : SendingOrder.mostSources }
}
