// SPDX-License-Identifier: Apache-2.0
internal import SidingChain

/// What a file knows of a hub to which it publishes its records.
///
/// Each transaction at the hub exchanges a mark there. The file has the mark before and the one after it, so that it knows its own
/// transactions, also one whose end it has not seen. A hub with any other mark has met somebody else: a copy of this file, an
/// older or newer one, or another station of the same name.
package struct Publication: Sendable, Hashable, Codable {
    /// How far a resource has come.
    package struct Position: Sendable, Hashable, Codable {
        /// The hub's mark after the newest transaction that is known to be committed; nil before the first.
        package var mark: String?
        /// The hub's mark if a transaction after that was committed: those whose end the file has not seen.
        package var next: [String] = []
        /// A copy of the revision that the hub has, and the number of the resource whose revision it is.
        package var revision: Int64?
        package var number: Int64?
        /// A digest of the declared columns with which the records were sent; nil before the first.
        package var columns: String?
        /// When that was recorded, in microseconds since 1970.
        package var publishedAt: Int64?

        package init() {}
    }

    /// Why nothing is published, or nothing of a resource, and since when.
    package struct Failure: Sendable, Hashable, Codable {
        /// When the first publication failed since the last that did not, in microseconds since 1970.
        package var since: Int64
        package var error: RecordedError

        /// Whether the same call may succeed later; anything else needs a person.
        package var isTransient: Bool { error.name == Publication.unavailable }
    }

    /// The name of the error of a hub that cannot be reached now.
    package static let unavailable = "unavailable"

    /// The name under which the file publishes.
    package var station: String
    /// By the names of the resources.
    package var positions: [String: Position] = [:]
    /// Of the target as a whole; nil if the last publication reached the hub.
    package var failure: Failure?
    /// Of single resources, by their names.
    package var failures: [String: Failure] = [:]

    package init(station: String) {
        self.station = station
    }

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        station = try members.decode(String.self, forKey: .station)
        positions = try members.decodeIfPresent([String: Position].self, forKey: .positions) ?? [:]
        failure = try members.decodeIfPresent(Failure.self, forKey: .failure)
        failures = try members.decodeIfPresent([String: Failure].self, forKey: .failures) ?? [:]
    }

    /// How a publication ended.
    package struct Outcome: Sendable {
        /// Why it ended before all resources were tried; nil if they were.
        package var error: RecordedError?
        /// The resources that were tried, each with its error.
        package var resources: [String: RecordedError?] = [:]

        package init() {}
    }

    /// Notes how a publication ended. The failures of resources that were not tried stay.
    mutating func note(_ outcome: Outcome, at now: Timestamp) {
        failure = outcome.error.map { Failure(since: failure?.since ?? now.microseconds, error: $0) }
        for (resource, error) in outcome.resources {
            let since = failures[resource]?.since ?? now.microseconds
            failures[resource] = error.map { Failure(since: since, error: $0) }
        }
    }

    /// How incidents, leases and `siding_sources` call a target. No name of a resource or source has a colon.
    package static func subject(ofTarget name: String) -> String { subjectPrefix + name }
    /// What such a name begins with.
    package static let subjectPrefix = "publish:"
}

extension Store {
    /// What is known of the hub `target`; nil before the first publication.
    package func publication(to target: String) async throws(StoreError) -> Publication? {
        try await read { try SourcesTable.publication(to: target, $0) }
    }

    /// Keeps what is known of the hub `target`, durably: the next mark must be here before it is there.
    package func save(_ publication: Publication, to target: String) async throws(StoreError) {
        let now = clock.now
        try await write { try SourcesTable.save(publication, to: target, now, $0) }
    }

    /// Stores how a publication ended. If that is known already nothing is written: a hub may be down for days.
    package func note(
        _ outcome: Publication.Outcome, of station: String, to target: String
    ) async throws(StoreError) {
        let now = clock.now
        let known = try await publication(to: target)
        var noted = known ?? Publication(station: station)
        noted.note(outcome, at: now)
        guard noted != known ?? Publication(station: station) else { return }
        try await write { transaction in
            // What is stored of the positions meanwhile stays.
            var publication = try SourcesTable.publication(to: target, transaction) ?? Publication(station: station)
            publication.note(outcome, at: now)
            try SourcesTable.save(publication, to: target, now, transaction)
        }
    }
}
