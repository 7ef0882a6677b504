// SPDX-License-Identifier: Apache-2.0
package import SidingChain

/// What a look for resources to sync found: those that are due, by source.
package struct DueSyncs: Sendable {
    /// The sync of the due resources of one source, beside those of all others.
    package struct SourceSync: Sendable {
        package let source: String
        /// Syncs them, and returns when a resource of this source is due next, nil if the pace will do.
        package let perform: @Sendable () async throws(StoreError) -> Timestamp?

        package init(_ source: String, perform: @escaping @Sendable () async throws(StoreError) -> Timestamp?) {
            (self.source, self.perform) = (source, perform)
        }
    }

    /// At most one for each source.
    package let syncs: [SourceSync]
    /// When a resource of another source is due next; nil if the pace will do.
    package let next: Timestamp?

    package init(_ syncs: [SourceSync], next: Timestamp?) {
        (self.syncs, self.next) = (syncs, next)
    }
}

extension [ResourceOutlook] {
    /// Those that are due, without the fan-out resources whose parent belongs to another source and is about to be listed: they
    /// follow it, and hold up nothing else of their source until then.
    ///
    /// - Parameter isTried: whether a resource that is due is synced now. Nothing waits for one that is put off as it failed.
    func due(at now: Timestamp, isTried: (AnyResource) -> Bool) -> [ResourceOutlook] {
        let due = filter { $0.next.isDue(at: now) }
        let order = ParentOrder.parentsFirst(due.map(\.resource))
        return due.filter { outlook in
            guard let parent = outlook.resource.forEach?.resource else { return true }
            // Only those before it count, so that no circle waits for itself.
            return !order.prefix { $0.name != outlook.resource.name }.contains {
                $0.name == parent && $0.source.name != outlook.resource.source.name && isTried($0)
            }
        }
    }
}
