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

    /// The name under which the file publishes.
    package var station: String
    /// By the names of the resources.
    package var positions: [String: Position] = [:]

    package init(station: String) {
        self.station = station
    }
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
}
