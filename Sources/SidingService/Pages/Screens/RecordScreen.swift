// SPDX-License-Identifier: Apache-2.0
internal import Siding
internal import SidingChain
internal import SidingInspection
internal import SidingJSON

/// `/records/RESOURCE/KEY`: a record, where it came from, and its earlier versions.
struct RecordScreen: Screen {
    static let template = "record"
    private static let longestBody = 262_144
    private static let mostVersions = 20

    struct Version: Sendable {
        let from: Moment
        let change: String
        let run: Fact?
        let remark: String
        let differences: [Difference]
    }

    struct Difference: Sendable {
        let path: String
        let old: String
        let new: String
    }

    let title: String
    let command: String?
    let key: String
    let resource: String
    let resourceHref: String
    let isDeleted: Bool
    let pending: String?
    let body: BodyExcerpt
    let facts: [Fact]
    let versions: [Version]
    let keepsHistory: Bool

    /// - Throws: ``NotFound``, ``StoreError/Kind/notFound``.
    static func load(_ resource: String, key: String, _ served: ServedStore) async throws -> RecordScreen {
        let store = served.store
        guard let record = try await store.record(of: resource, key: key) else {
            throw NotFound.record(key, of: resource)
        }
        return RecordScreen(
            record, try await store.history(of: resource, key: key, limit: mostVersions),
            try await store.provenance(of: resource, key: key), MessageFormat(now: served.now, isAbsolute: false))
    }

    private init(
        _ record: Record, _ history: RecordHistory?, _ provenance: RecordProvenance?, _ format: MessageFormat
    ) {
        key = PlainText.oneLine(record.key, limit: 120)
        title = "\(record.resource) \(key)"
        command = ShellCommand.text("records", "get", record.resource, record.key)
        (resource, resourceHref) = (record.resource, PageLink.path("records", record.resource))
        isDeleted = record.deletedAt != nil
        pending = record.pending > 0 ? MessageFormat.count(record.pending, "pending edit") : nil
        body = BodyExcerpt(record.body, limit: Self.longestBody)
        facts = provenance.map { Self.facts($0, format) } ?? []
        versions = (history?.versions ?? []).map { Version($0, format) }
        keepsHistory = history?.since != nil
    }

    private static func facts(_ provenance: RecordProvenance, _ format: MessageFormat) -> [Fact] {
        var edits = provenance.edits.map(\.entry)[...]
        return ProvenanceReport(provenance, format).lines.dropFirst().map { line in
            let href =
                switch line.name {
                case "run": provenance.run.map { PageLink.path("runs", String($0.id)) }
                case "edit": edits.popFirst().map { PageLink.path("queue", $0) }
                default: nil as String?
                }
            return Fact(line.name, line.text, href: href)
        }
    }
}

extension RecordScreen.Version {
    private static let mostDifferences = 50

    fileprivate init(_ version: RecordVersion, _ format: MessageFormat) {
        from = Moment(version.from, format)
        let text = VersionText(version)
        (change, remark) = (text.change, text.remark)
        run =
            version.run == 0
            ? nil : Fact("run", String(version.run), href: PageLink.path("runs", String(version.run)))
        differences = (version.differences ?? []).prefix(Self.mostDifferences).map { difference in
            RecordScreen.Difference(
                path: difference.path.description, old: ConflictRows.text(difference.old),
                new: ConflictRows.text(difference.new))
        }
    }
}
