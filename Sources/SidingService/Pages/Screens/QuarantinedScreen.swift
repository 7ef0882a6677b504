// SPDX-License-Identifier: Apache-2.0
internal import Siding
internal import SidingChain
internal import SidingInspection

/// `/quarantine/ID`: a record that broke its contract, and why.
struct QuarantinedScreen: Screen {
    static let template = "quarantined"
    private static let longestBody = 65_536

    let title: String
    let command: String?
    let href: String
    let reason: String
    let facts: [Fact]
    let body: BodyExcerpt
    let token: String

    static func load(_ id: String, _ served: ServedStore, formToken: String) async throws -> QuarantinedScreen {
        QuarantinedScreen(
            try await record(id, served), MessageFormat(now: served.now, isAbsolute: false), formToken)
    }

    /// - Throws: ``NotFound``, ``StoreError/Kind/notFound``.
    static func record(_ id: String, _ served: ServedStore) async throws -> QuarantinedRecord {
        guard let number = Int64(id), let record = try await served.store.quarantined(number) else {
            throw NotFound("there is no quarantined record '\(id.prefix(50))'")
        }
        return record
    }

    private init(_ record: QuarantinedRecord, _ format: MessageFormat, _ token: String) {
        title = "Quarantined record \(record.id)"
        command = ShellCommand.text("quarantine", "show", String(record.id))
        href = PageLink.path("quarantine", String(record.id))
        reason = record.reason
        facts = [
            Fact("resource", record.resource, href: PageLink.path("records", record.resource)),
            Fact("key", record.key ?? "none"), Fact("rule", record.code), Fact("page", record.url),
            Fact("byte", String(record.position)),
            Fact("run", String(record.run), href: PageLink.path("runs", String(record.run))),
            Fact("since", "", moment: Moment(record.createdAt, format)),
            Fact("seen", "", moment: Moment(record.seenAt, format)),
        ]
        body = BodyExcerpt(record.body, limit: Self.longestBody)
        self.token = token
    }
}
