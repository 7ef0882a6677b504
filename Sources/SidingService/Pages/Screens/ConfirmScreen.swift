// SPDX-License-Identifier: Apache-2.0
internal import Siding
internal import SidingChain
internal import SidingInspection
internal import SidingJSON

/// What an action would do, and the form that does it: `/queue/ID/drop`, `/queue/ID/resolve`, `/quarantine/ID/drop`.
struct ConfirmScreen: Screen {
    static let template = "confirm"

    let title: String
    let command: String?
    let facts: [Fact]
    let effect: String
    let refusal: String?
    let hint: String?
    let how: String?
    /// The entries that it is about, where there are several.
    let ids: [String]
    /// The text of a merged record, to be edited.
    let record: String?
    let asksForID: Bool
    let action: String
    let submit: String
    let back: String
    let token: String

    // MARK: Entries

    /// - Throws: ``ServiceProblem`` without `how`, ``StoreError``.
    static func resolving(
        _ id: String, _ query: Parameters, _ served: ServedStore, formToken: String
    ) async throws -> ConfirmScreen {
        let how = try query.required("how", of: Resolution.self)
        let report = try await EntryReport.load(id, in: served.store, now: served.now)
        let merged = how == .merge ? mergedRecord(report) : nil
        let decision: OperatorAction =
            switch how {
            case .mine: .resolve(.mine)
            case .theirs: .resolve(.theirs)
            case .arrived: .resolve(.arrived(id: nil))
            case .merge: .resolve(.merge(merged ?? Array("{}".utf8)))
            }
        return try await ConfirmScreen(
            of: report, decision, served, formToken, title: how.title, effect: how.effect, how: how,
            record: merged.map { String(decoding: PrettyJSON.text($0, limit: .max), as: UTF8.self) })
    }

    static func dropping(_ id: String, _ served: ServedStore, formToken: String) async throws -> ConfirmScreen {
        let report = try await EntryReport.load(id, in: served.store, now: served.now)
        let effect =
            report.entry.kind == .fetch
            ? "The page is not fetched from here: the next sync starts its listing over."
            : "The write is never sent. Entries that depend on it are parked."
        return try await ConfirmScreen(
            of: report, .act(.drop), served, formToken, title: "Drop", effect: effect)
    }

    /// - Throws: ``ServiceProblem`` for too many entries, or none.
    static func droppingSeveral(
        _ query: Parameters, _ served: ServedStore, formToken: String
    ) async throws -> ConfirmScreen {
        let ids = query.values("id")
        guard !ids.isEmpty, ids.count <= QueueScreen.most else {
            throw ServiceProblem.usage("the address names 1 to \(QueueScreen.most) entries")
        }
        return ConfirmScreen(try await served.store.entries(QueueSelection(ids: ids)), formToken)
    }

    private init(_ entries: [QueueEntry], _ token: String) {
        let parked = entries.filter { $0.state == .parked }
        title = "Drop: \(MessageFormat.count(parked.count, "entry", plural: "entries"))?"
        command = nil
        facts = parked.map {
            Fact($0.shortID, EntrySubject.text($0), href: PageLink.path("queue", $0.id))
        }
        effect = "They are never sent. Entries that depend on them are parked."
        ids = parked.map(\.id)
        refusal = parked.isEmpty ? "none of them is parked any longer" : nil
        (hint, how, record, asksForID) = (nil, nil, nil, false)
        action = PageLink.path("queue", "drop")
        submit = "Drop"
        back = PageLink.path("queue", query: [("state", "parked")])
        self.token = token
    }

    private init(
        of report: EntryReport, _ decision: OperatorAction, _ served: ServedStore, _ token: String, title: String,
        effect: String, how: Resolution? = nil, record: String? = nil
    ) async throws {
        let entry = report.entry
        let changes = try await served.store.carryOut(
            decision, on: QueueSelection(ids: [entry.id]), isRehearsal: true)
        let text = EntryText(entry, MessageFormat(now: served.now, isAbsolute: false))
        self.title = "\(title): entry \(entry.shortID)?"
        facts = [
            Fact("request", text.request), Fact("state", text.state),
            Fact("after this", changes.first?.refusal == nil ? decision.participle : "unchanged"),
        ]
        self.effect = effect
        (refusal, hint) = (changes.first?.refusal, changes.first?.hint)
        (self.how, self.record, ids) = (how?.rawValue, record, [])
        command = ShellCommand.text("queue", "show", entry.shortID)
        asksForID = how == .arrived && entry.recordKey.map(TemporaryID.matches) ?? false
        action = PageLink.path("queue", entry.id, how == nil ? "drop" : "resolve")
        submit = title
        back = PageLink.path("queue", entry.id)
        self.token = token
    }

    /// The merge of both sides where they agree, else the local one.
    private static func mergedRecord(_ report: EntryReport) -> [UInt8]? {
        let document = report.conflict?.difference?.merged ?? report.conflict?.mine ?? report.conflict?.theirs
        return document.map { Array($0.bytes) } ?? report.body
    }

    // MARK: Quarantine

    static func droppingQuarantined(
        _ id: String, _ served: ServedStore, formToken: String
    ) async throws -> ConfirmScreen {
        ConfirmScreen(try await QuarantinedScreen.record(id, served), formToken)
    }

    private init(_ record: QuarantinedRecord, _ token: String) {
        title = "Drop: quarantined record \(record.id)?"
        facts = [
            Fact("resource", record.resource), Fact("key", record.key ?? "none"), Fact("reason", record.reason),
        ]
        effect = "The record and its bytes are forgotten. The origin may send it again."
        (refusal, hint, how, self.record, asksForID, ids) = (nil, nil, nil, nil, false, [])
        command = ShellCommand.text("quarantine", "show", String(record.id))
        action = PageLink.path("quarantine", String(record.id), "drop")
        submit = "Drop"
        back = PageLink.path("quarantine", String(record.id))
        self.token = token
    }
}
