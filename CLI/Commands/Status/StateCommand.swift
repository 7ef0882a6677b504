// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import SidingInspection
import Siding
import SidingChain
import SidingCredentials
import SidingJSON

/// `siding state`: shows, sets and resets cursors and checkpoints.
struct StateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "state", abstract: "Show and change cursors and checkpoints.",
        subcommands: [StateShowCommand.self, StateSetCommand.self, StateResetCommand.self],
        defaultSubcommand: StateShowCommand.self)
}

/// `siding state show [RESOURCE…]`: shows the cursor and the checkpoint of each resource.
struct StateShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show the cursor and the checkpoint of each resource.")

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The resources; all of them by default.") var resources: [String] = []

    func run() async throws {
        try await options.withStore { workspace, store in
            let states = try await store.resourceStates()
            var table = Table(["resource", "cursor", "moved", "continues at"])
            for resource in try workspace.resources(named: resources) {
                let state = states.first { $0.resource == resource.name }
                let cursor = try await store.cursor(of: resource.name)
                let scoped = resource.forEach == nil ? [] : try await store.scopedCursors(of: resource.name)
                if options.json {
                    Output.line(object(resource, state, cursor, scoped).text)
                } else if let each = resource.forEach {
                    table.add([
                        resource.name, Self.summary(of: scoped), scoped.first?.movedAt.rfc3339 ?? "",
                        state?.pass?.isOpen == true ? "the next record of \(each.resource)" : "",
                    ])
                } else {
                    table.add([
                        resource.name, cursor?.value ?? "", cursor?.movedAt.rfc3339 ?? "", place(state, resource),
                    ])
                }
            }
            if !options.json { table.print(options.terminal) }
        }
    }

    /// The cursors of all parents: their number, and the oldest.
    private static func summary(of cursors: [ScopedCursor]) -> String {
        guard let oldest = cursors.first else { return "" }
        return "\(MessageFormat.count(cursors.count, "cursor")), the oldest \(oldest.value)"
    }

    private func place(_ state: ResourceState?, _ resource: AnyResource) -> String {
        guard let page = state?.checkpoint else { return "" }
        let secret = resource.source.authorization.secretQueryNames
        return "page \(page.number): \(Redaction.url(page.url, also: secret))"
    }

    private func object(
        _ resource: AnyResource, _ state: ResourceState?, _ cursor: StoredCursor?, _ scoped: [ScopedCursor]
    ) -> JSONObject {
        var object: JSONObject = [
            "resource": resource.name, "cursor": cursor?.value, "moved_at": cursor?.movedAt,
            "completed_at": state?.completedAt,
        ]
        object.add(["pass": state?.pass?.pass, "pass_open": state?.pass?.isOpen])
        if resource.forEach != nil { object.add("cursors", scoped.map(Self.object)) }
        if let page = state?.checkpoint {
            object.add([
                "checkpoint_page": page.number,
                "checkpoint_url": Redaction.url(page.url, also: resource.source.authorization.secretQueryNames),
            ])
        }
        return object
    }

    private static func object(_ cursor: ScopedCursor) -> JSONObject {
        ["parent": cursor.scope, "cursor": cursor.value, "moved_at": cursor.movedAt]
    }
}

/// `siding state set RESOURCE VALUE`: sets the cursor, so that the next sync fetches changes after it.
struct StateSetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Set the cursor of a resource: the next sync fetches changes after it.",
        discussion: "An unfinished listing is dropped, because it began at another value. Records are not changed.")

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The resource.") var resource: String
    @Argument(help: "The value, in the cursor's type.") var value: String

    func run() async throws {
        try await options.withStore(.readWrite) { workspace, store in
            for resource in try workspace.resources(named: [resource]) {
                try CursorArguments.check(value, of: resource)
                if let each = resource.forEach {
                    throw CommandError.usage(
                        "'\(resource.name)' has a cursor for each record of '\(each.resource)'",
                        hint:
                            "'siding state reset \(resource.name)' removes them; 'siding sync --since' starts from a time of your choice"
                    )
                }
                try await store.setCursor(value, of: resource, "state set")
                options.printMessage("\(resource.name): the next sync fetches changes after \(value)")
            }
        }
    }
}

/// `siding state reset RESOURCE…`: removes the cursor and the unfinished listing, so that the next sync fetches everything.
struct StateResetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset",
        abstract: "Forget the cursor and the unfinished listing: the next sync fetches everything.",
        discussion: "Records are not changed.")

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The resources.") var resources: [String]
    @Flag(help: "Show the effect and change nothing.") var dryRun = false

    func run() async throws {
        try await options.withStore(.readWrite) { workspace, store in
            for resource in try workspace.resources(named: resources) {
                let cursor = try await store.cursor(of: resource.name)
                let each = resource.forEach
                let all = each.map { "the cursors and unfinished listings of all records of '\($0.resource)'" }
                let what = all ?? cursor.map { "the cursor \($0.value)" } ?? "the unfinished listing, if there is one,"
                if dryRun {
                    options.printMessage("\(resource.name): \(what) would be forgotten")
                } else {
                    try await store.setCursor(nil, of: resource, "state reset")
                    options.printMessage(
                        "\(resource.name): \(what) \(all == nil ? "is" : "are") forgotten; the next sync fetches everything"
                    )
                }
            }
        }
    }
}

extension Store {
    /// Sets the cursor under the resource's lease, so that no sync runs at the same time.
    ///
    /// - Throws: ``StoreError/Kind/leaseLost`` if a run has the resource locked.
    fileprivate func setCursor(_ value: String?, of resource: AnyResource, _ command: String) async throws {
        try await withLease(ofResource: resource.name, command: command) { lease throws(StoreError) in
            try await setCursor(value, of: resource.name, lease: lease)
        }
    }
}
