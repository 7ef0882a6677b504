// SPDX-License-Identifier: Apache-2.0
package import Siding
package import SidingChain
internal import SidingJSON

/// A target of `publish:` in the config.
package struct PublishedTarget: Sendable, Hashable {
    package var name: String
    package var station: String
    /// The names of the published resources.
    package var resources: [String]

    package init(_ name: String, station: String, resources: [String]) {
        (self.name, self.station, self.resources) = (name, station, resources)
    }
}

/// How far a target of `publish:` is, by what the file knows; nothing is asked there.
package struct PublicationState: Sendable {
    package struct Resource: Sendable {
        package var name: String
        /// How many records have changed since they were published last; all before the first publication.
        package var behind = 0
        /// When the oldest of these changes was made; nil without one, and before the first publication.
        package var oldestChangeAt: Timestamp?
        /// When the hub got changes last; nil before the first.
        package var publishedAt: Timestamp?
        /// Why nothing of this resource is published; nil if it is, and if the whole target fails.
        package var failure: Publication.Failure?
    }

    package var target: PublishedTarget
    package var resources: [Resource]
    /// Why nothing is published; nil if the last publication reached the hub.
    package var failure: Publication.Failure?

    /// - Parameter countsRecords: whether ``Resource/behind`` is counted.
    package static func gather(
        _ targets: [PublishedTarget], _ store: Store, countsRecords: Bool = true
    ) async throws(StoreError) -> [PublicationState] {
        var states: [PublicationState] = []
        for target in targets {
            let known = try await store.publication(to: target.name)
            var state = PublicationState(target: target, resources: [], failure: known?.failure)
            for name in target.resources {
                let (position, failure) = (known?.positions[name], known?.failures[name])
                var resource = Resource(name: name, failure: failure)
                if countsRecords {
                    resource.behind = try await store.countChanges(
                        of: name, after: position?.revision ?? 0, number: position?.number)
                }
                if let revision = position?.revision, let number = position?.number {
                    resource.oldestChangeAt = try await store.oldestChange(of: name, after: revision, number: number)
                }
                resource.publishedAt = position?.publishedAt.map { Timestamp(microseconds: $0) }
                state.resources.append(resource)
            }
            states.append(state)
        }
        return states
    }

    package var behind: Int { resources.map(\.behind).reduce(0, +) }
    package var oldestChangeAt: Timestamp? { resources.compactMap(\.oldestChangeAt).min() }
    package var publishedAt: Timestamp? { resources.compactMap(\.publishedAt).max() }

    /// All failures: that of the target, then those of its resources by their names.
    package var failures: [(resource: String?, failure: Publication.Failure)] {
        (failure.map { [(nil, $0)] } ?? [])
            + resources.compactMap { resource in resource.failure.map { (resource.name, $0) } }
    }

    /// The first failure that a person must end.
    package var refusal: (resource: String?, failure: Publication.Failure)? {
        failures.first { !$0.failure.isTransient }
    }

    /// Since when changes wait: since the oldest was made or, while a publication is under way, since its newest transaction. Where
    /// nothing was ever published, since it failed first.
    package var waitsSince: Timestamp? {
        resources.compactMap { resource in
            guard let publishedAt = resource.publishedAt else {
                return (resource.failure ?? failure).map { Timestamp(microseconds: $0.since) }
            }
            return resource.oldestChangeAt.map { max($0, publishedAt) }
        }.min()
    }

    /// Whether changes have waited for as long as a queued entry may.
    package func waitsTooLong(at now: Timestamp) -> Bool {
        waitsSince.map { now - $0 >= QueueShare.tooLong } ?? false
    }

    // MARK: JSON

    package var object: JSONObject {
        var object: JSONObject = ["target": target.name, "station": target.station]
        object.add(Self.object(behind, oldestChangeAt, publishedAt, failure))
        object.add(
            "resources",
            resources.map { resource -> JSONObject in
                var object: JSONObject = ["resource": resource.name]
                object.add(
                    Self.object(resource.behind, resource.oldestChangeAt, resource.publishedAt, resource.failure))
                return object
            })
        return object
    }

    private static func object(
        _ behind: Int, _ oldest: Timestamp?, _ published: Timestamp?, _ failure: Publication.Failure?
    ) -> JSONObject {
        [
            "behind": behind, "oldest_change_at": oldest, "published_at": published,
            "failing_since": failure.map { Timestamp(microseconds: $0.since) },
            "error": (failure?.error).map(Shapes.error),
        ]
    }
}
