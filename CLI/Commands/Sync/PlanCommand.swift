// SPDX-License-Identifier: Apache-2.0
import SidingJSON
import SidingInspection
import ArgumentParser
import Foundation
import Siding
import SidingChain
import SidingManifest

/// `siding plan`: shows the first requests of a sync and why, or with `--fetch` its result on a copy of the database.
struct PlanCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan", abstract: "Show the first requests of a sync, and why; change nothing.",
        discussion: """
            With --fetch the sync runs on a temporary copy of the database, and the command shows each request, and the \
            records that a sync would insert, update and delete. Queued writes are not sent. Requests that rate limits match \
            are counted in the original database, which is created for that if it is missing.
            """)

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The resources; all of them by default.") var resources: [String] = []
    @OptionGroup var listing: ListingOptions
    @OptionGroup var shard: ShardOption
    @Flag(help: "Run the sync on a copy, and show its changes.") var fetch = false

    func run() async throws {
        let (workspace, shard) = (try Workspace.load(options), try shard.value())
        let chosen = ParentOrder.parentsFirst(try workspace.resources(named: resources))
        try listing.check(against: chosen)
        let store = try await store(for: chosen, workspace)
        let status = try await perform {
            guard fetch else { return try await show(chosen, shard, workspace, store) }
            return try await Rehearsal(options: options, workspace: workspace, store: store, shard: shard)
                .run(chosen, listing.syncOptions)
        } finally: {
            await store?.close()
        }
        if status != .success { throw status }
    }

    private func show(
        _ chosen: [AnyResource], _ shard: Shard?, _ workspace: Workspace, _ store: Store?
    ) async throws -> ExitStatus {
        var isRefused = false
        for resource in chosen {
            let plan = try await SyncPlan.make(
                for: resource, options: listing.syncOptions, in: store, shard: shard, of: workspace.config.resources)
            let network = SourceNetwork.description(of: resource.source)
            if options.json { Output.line(object(plan, network).text) } else { print(plan, network) }
            if plan.refusal != nil { isRefused = true }
        }
        return isRefused ? .config : .success
    }

    /// The database; nil if there is none. `--fetch` creates it if a source has rate limits, as its requests are counted there.
    private func store(for chosen: [AnyResource], _ workspace: Workspace) async throws -> Store? {
        if fetch, chosen.contains(where: { !$0.source.limits.isEmpty }) {
            return try await workspace.openStore(.readWriteCreate)
        }
        return Store.exists(at: workspace.databasePath) ? try await workspace.openStore(.readOnly) : nil
    }

    private func object(_ plan: SyncPlan, _ network: String?) -> JSONObject {
        [
            "resource": plan.resource, "method": plan.method, "url": plan.url, "body": plan.body,
            "conditions": plan.conditions, "reason": plan.reason, "paging": plan.paging, "deletes": plan.deletes,
            "limits": plan.limits, "network": network, "error": plan.refusal.map(Shapes.error),
            "for_each": plan.fanOut.map(Self.object),
        ]
    }

    private static func object(_ fanOut: SyncPlan.FanOut) -> JSONObject {
        [
            "resource": fanOut.resource, "parents": fanOut.outlook.all, "due": fanOut.outlook.due,
            "new": fanOut.outlook.new, "changed": fanOut.outlook.changed, "unfinished": fanOut.outlook.unfinished,
            "urls": fanOut.urls,
        ]
    }

    private func print(_ plan: SyncPlan, _ network: String?) {
        if let refusal = plan.refusal {
            Output.line(
                "\(PlainText.oneLine(plan.resource)): a sync would refuse: \(PlainText.oneLine(refusal.message, limit: 2000))"
            )
            if let hint = refusal.hint { Output.line("    \(hint)") }
            return
        }
        let request = "\(plan.method) \(PlainText.oneLine(plan.url, limit: 2000))"
        let what = plan.asksNothing ? "no request now" : request
        Output.line("\(PlainText.oneLine(plan.resource)): \(what)")
        if plan.asksNothing, plan.asksLater { Output.line("    later: \(request)") }
        if let body = plan.body { Output.line("    body: \(PlainText.oneLine(body, limit: 4000))") }
        for condition in plan.conditions { Output.line("    \(condition)") }
        Output.line("    because: \(plan.reason)")
        if let network { Output.line("    network: \(network)") }
        for url in plan.fanOut?.urls.dropFirst() ?? [] {
            Output.line("    then \(plan.method) \(PlainText.oneLine(url, limit: 2000))")
        }
        Output.line("    following pages: \(plan.paging)")
        Output.line("    deleted: \(plan.deletes)")
        if !plan.limits.isEmpty { Output.line("    limits: \(plan.limits.joined(separator: "; "))") }
    }
}
