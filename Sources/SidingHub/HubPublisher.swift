// SPDX-License-Identifier: Apache-2.0
package import Siding
internal import SidingChain
internal import SidingCredentials
internal import SidingPostgreSQL

/// Publishes what has changed in a file to a hub.
///
/// The hub's position is the truth. Each transaction there exchanges the position and brings the records up to it, so that both
/// are there or neither. The file keeps the mark of the next transaction before it begins: if the connection breaks at the commit,
/// the hub's mark tells whether it was made.
package struct HubPublisher: Sendable {
    let store: Store
    let target: HubTarget
    package var options = PublishOptions()
    /// How many rows and bytes of bodies a transaction has at most, but for those of one commit of the file.
    var most = (rows: 2_000, bytes: 8 << 20)
    /// How many records are compared at once.
    var page = 10_000

    package init(of store: Store, to target: HubTarget) {
        (self.store, self.target) = (store, target)
    }

    /// Publishes these resources, one after the other, and stores how that ended.
    ///
    /// - Parameter report: is called as each is done.
    /// - Throws: ``HubError`` if nothing can be published; the error of one resource is in its report.
    package func publish(
        _ resources: [String], report: @Sendable (HubReport) -> Void = { _ in }
    ) async throws(HubError) {
        var outcome = Publication.Outcome()
        do throws(HubError) {
            try await transfer(resources, &outcome, report: report)
        } catch {
            outcome.error = error.recorded
            // Cancelled, it proves nothing. A file that takes nothing is the first error, or follows from it.
            if error.kind != .cancelled, !Task.isCancelled { try? await note(outcome) }
            throw error
        }
        try await note(outcome)
    }

    private func note(_ outcome: Publication.Outcome) async throws(HubError) {
        do { try await store.note(outcome, of: target.station, to: target.name) } catch { throw HubError(error) }
    }

    private func transfer(
        _ resources: [String], _ outcome: inout Publication.Outcome, report: @Sendable (HubReport) -> Void
    ) async throws(HubError) {
        do {
            let publication = try await publication()
            let connection = try await PostgreSQLConnection.open(target.settings())
            let positions = HubPositions(schema: target.schema, station: target.station)
            try await HubSchema(connection: connection).prepare(positions)
            var transfer = HubTransfer(publisher: self, connection, positions, publication)
            for resource in resources {
                var done = HubReport(resource)
                do { try await transfer.publish(resource, &done) } catch {
                    let error = HubError(error)
                    done.error = error
                    done.behind = (try? await behind(resource, transfer.publication)) ?? 0
                    report(done)
                    if error.concernsAll { throw error }
                    outcome.resources.updateValue(error.recorded, forKey: resource)
                    continue
                }
                report(done)
                outcome.resources.updateValue(nil, forKey: resource)
            }
            await connection.close()
        } catch {
            throw HubError(error)
        }
    }

    /// The same while no other process of the file publishes to the target.
    ///
    /// - Returns: false if another one does, and nothing was done.
    package func publishUnderLease(
        _ resources: [String], command: String, ifHeld: @Sendable (LeaseHolder) -> Void = { _ in },
        report: @escaping @Sendable (HubReport) -> Void
    ) async throws(HubError) -> Bool {
        do {
            return try await store.withLease(Publication.subject(ofTarget: target.name), command: command) { _ in
                do throws(HubError) {
                    try await publish(resources, report: report)
                    return Result<Bool, HubError>.success(true)
                } catch {
                    return .failure(error)
                }
            } ifHeld: { holder in
                ifHeld(holder)
                return .success(false)
            }.get()
        } catch {
            throw HubError(error)
        }
    }

    /// How many changes the hub lacks, by what the file knows; nothing is asked there.
    package func foresee(_ resources: [String]) async throws(HubError) -> [HubReport] {
        do {
            let publication = try await publication()
            var reports: [HubReport] = []
            for resource in resources {
                var report = HubReport(resource)
                report.behind = try await behind(resource, publication)
                reports.append(report)
            }
            return reports
        } catch {
            throw HubError(error)
        }
    }

    /// Whether the hub has all changes of these resources, and all their columns, by what the file knows; nothing is asked there.
    func isUpToDate(_ resources: [String]) async throws(HubError) -> Bool {
        do {
            let publication = try await publication()
            for resource in resources {
                guard try await behind(resource, publication) == 0 else { return false }
                guard let sent = publication.positions[resource]?.columns else { continue }
                guard try await store.published(resource)?.columnsDigest == sent else { return false }
            }
            return true
        } catch {
            throw HubError(error)
        }
    }

    /// The statements that make the tables of these resources, for a role that may create them.
    ///
    /// - Parameter isDistributed: adds those by which Citus distributes the tables, all by the station, so that the rows of a
    ///   station are in one place.
    package func statements(for resources: [String], isDistributed: Bool) async throws(HubError) -> [String] {
        do {
            let positions = HubPositions(schema: target.schema, station: target.station)
            var statements = positions.creation
            for resource in resources {
                guard let published = try await store.published(resource) else { continue }
                let table = HubTable(schema: target.schema, resource: resource, columns: published.columns)
                try table.check()
                statements += table.creation + table.declared.flatMap { table.addition(of: $0) }
                if isDistributed { statements.append(Self.distribution(of: table.name, by: "siding_station")) }
            }
            return isDistributed ? statements + [Self.distribution(of: positions.name, by: "station")] : statements
        } catch {
            throw HubError(error)
        }
    }

    /// Tables that are distributed by columns of one type are colocated by default: a transaction of a station is in one place.
    private static func distribution(of table: String, by column: String) -> String {
        "SELECT create_distributed_table('\(table.replacing("'", with: "''"))', '\(column)')"
    }

    private func behind(_ resource: String, _ publication: Publication) async throws(StoreError) -> Int {
        let position = publication.positions[resource]
        return try await store.countChanges(
            of: resource, after: position?.revision ?? 0, number: position?.number)
    }

    /// What the file knows of the hub.
    func publication() async throws -> Publication {
        guard var known = try await store.publication(to: target.name) else {
            return Publication(station: target.station)
        }
        guard known.station != target.station else { return known }
        // Before the first transaction no hub knows the name.
        guard !known.positions.isEmpty else {
            known.station = target.station
            return known
        }
        guard options.adopts else {
            throw HubError(
                .foreign,
                "this file has published to '\(target.name)' as station '\(known.station)', not as '\(target.station)'",
                hint:
                    "'station: \(known.station)' in the config keeps the name; --adopt publishes everything under the new one"
            )
        }
        known = Publication(station: target.station)
        return known
    }

    /// The error for a position that is not this file's.
    func foreign(_ why: String, _ resource: String) -> HubError {
        HubError(
            .foreign, why,
            hint:
                "if this file is station '\(target.station)' from now on: siding publish \(target.name) \(resource) --adopt "
                + "sends all records, and deletes there what is not here")
    }
}
