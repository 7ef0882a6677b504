// SPDX-License-Identifier: Apache-2.0
package import SidingChain

/// What a look for resources to sync found: those that are due, by the sources that are synced together.
package struct DueSyncs: Sendable {
    /// The sync of the due resources of some sources, beside those of all others.
    package struct SourceSync: Sendable {
        package let sources: Set<String>
        /// Syncs them, and returns when a resource of these sources is due next, nil if the pace will do.
        package let perform: @Sendable () async throws(StoreError) -> Timestamp?

        package init(
            _ sources: Set<String>, perform: @escaping @Sendable () async throws(StoreError) -> Timestamp?
        ) {
            (self.sources, self.perform) = (sources, perform)
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

extension [AnyResource] {
    /// Their sources in groups. Those that a `for_each` connects are in one, as the parents of the one are records of the other.
    var connectedSources: [Set<String>] {
        let sources = Dictionary(map { ($0.name, $0.source.name) }) { first, _ in first }
        return reduce(into: []) { groups, resource in
            var group: Set<String> = [resource.source.name]
            if let parent = resource.forEach.flatMap({ sources[$0.resource] }) { group.insert(parent) }
            let connected = groups.filter { !$0.isDisjoint(with: group) }
            groups.removeAll { !$0.isDisjoint(with: group) }
            groups.append(connected.reduce(group) { $0.union($1) })
        }
    }
}
