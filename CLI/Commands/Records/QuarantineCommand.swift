// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import SidingInspection
import Siding
import SidingChain
import SidingJSON
import SidingManifest

/// `siding quarantine`: shows, retries and drops records that broke their contract.
struct QuarantineCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "quarantine", abstract: "Show, retry and drop records that broke their contract.",
        subcommands: [
            QuarantineListCommand.self, QuarantineShowCommand.self, QuarantineRetryCommand.self,
            QuarantineDropCommand.self,
        ])
}

/// `siding quarantine list`: lists quarantined records, oldest first.
struct QuarantineListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List quarantined records, oldest first.")

    @OptionGroup var options: GlobalOptions
    @Option(help: ArgumentHelp("Records of this resource; may be repeated.", valueName: "name"))
    var resource: [String] = []
    @Option(help: "The maximum number of records, oldest first; 0 for all. The default is 100 on a terminal, else all.")
    var limit: Int?

    func validate() throws {
        if let limit, limit < 0 { throw ValidationError("--limit is 0 or more.") }
    }

    func run() async throws {
        try await options.withStore { workspace, store in
            try await workspace.checkAreKnown(resource, in: store)
            let usual = options.terminal.isOutput && !options.json ? 100 : 0
            let most = limit ?? usual
            let records = try await store.quarantined(
                QuarantineSelection(resources: resource, limit: most == 0 ? nil : most))
            if options.json {
                for record in records { Output.line(Shapes.quarantined(record).text) }
            } else if records.isEmpty {
                if options.terminal.isOutput { options.printMessage("nothing is in quarantine") }
            } else {
                print(records)
            }
        }
    }

    private func print(_ records: [QuarantinedRecord]) {
        let format = options.messageFormat
        var table = Table([">id", "resource", "key", ">run", ">byte", "since", "reason"])
        for record in records {
            table.add([
                String(record.id), record.resource, record.key ?? "", String(record.run), String(record.position),
                format.time(record.createdAt), record.reason,
            ])
        }
        table.print(options.terminal)
    }
}

/// `siding quarantine show ID`: prints a quarantined record and the reason.
struct QuarantineShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Print a quarantined record, and its fault.")

    @OptionGroup var options: GlobalOptions
    @Argument(help: "Its number in 'siding quarantine list'.") var id: Int64
    @Flag(help: "Print only its bytes, unchanged.") var body = false

    func run() async throws {
        try await options.withStore { _, store in
            guard let record = try await store.quarantined(id) else { return }
            if body { return Output.write(record.body) }
            if options.json {
                var object = Shapes.quarantined(record)
                object.body("body", record.body)
                return Output.line(object.text)
            }
            let format = options.messageFormat
            let fields = [
                ("id", String(record.id)), ("resource", record.resource), ("key", record.key ?? ""),
                ("reason", record.reason), ("next", record.remedy ?? ""), ("rule", record.code), ("page", record.url),
                ("byte", String(record.position)), ("run", String(record.run)),
                ("since", format.time(record.createdAt)),
                ("seen", format.time(record.seenAt)), ("bytes", OneLineJSON.text(record.body)),
            ]
            for (name, value) in fields where !value.isEmpty {
                Output.line("\(name.padding(to: 10))\(PlainText.oneLine(value, limit: 4_000))")
            }
        }
    }
}

/// `siding quarantine retry [ID…]`: reads quarantined records again under the present config, without asking the origin.
struct QuarantineRetryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Check quarantined records against the present config, and save valid ones.",
        discussion: "Without a number or --resource: all of them. Nothing is sent to the origin.")

    @OptionGroup var options: GlobalOptions
    @OptionGroup var selection: QuarantineOptions

    func run() async throws {
        let status = try await options.withStore(.readWrite) { workspace, store in
            try await workspace.checkAreKnown(selection.resource, in: store)
            let changes = try await store.retryQuarantined(selection.selection, as: workspace.config.resources)
            for change in changes { tell(change) }
            let statuses = changes.map { change -> ExitStatus in
                change.refusal == nil ? .success : change.heldBy == nil ? .failure : .locked
            }
            return ExitStatus.combining(statuses, savedAnything: statuses.contains(.success))
        }
        if status != .success { throw status }
    }

    private func tell(_ change: QuarantineChange) {
        if options.json {
            Output.line(Shapes.quarantined(change).text)
        } else if let refusal = change.refusal {
            Output.printMessage("\(change.record.id): stays in quarantine: \(refusal)")
        } else {
            options.printMessage("\(change.record.id): saved")
        }
    }
}

/// `siding quarantine drop [ID…]`: deletes quarantined records after a confirmation.
struct QuarantineDropCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drop", abstract: "Remove quarantined records.")

    @OptionGroup var options: GlobalOptions
    @OptionGroup var selection: QuarantineOptions
    @Flag(help: "All of them.") var all = false
    @Flag(help: "Show the effect and change nothing.") var dryRun = false
    @Flag(help: "Do not ask.") var yes = false

    func validate() throws {
        guard !selection.ids.isEmpty || !selection.resource.isEmpty || all else {
            throw ValidationError("Name records by number or by --resource; or say --all.")
        }
    }

    func run() async throws {
        try await options.withStore(.readWrite) { workspace, store in
            try await workspace.checkAreKnown(selection.resource, in: store)
            let meant = try await store.quarantined(selection.selection)
            guard !meant.isEmpty else {
                throw CommandError.notFound(
                    "no quarantined record is selected", hint: "'siding quarantine list' shows them")
            }
            try options.confirm(
                "forgetting \(MessageFormat.count(meant.count, "record"))", isGiven: yes || dryRun)
            // Only the records that the question was about, not those quarantined since.
            let gone = dryRun ? meant : try await store.dropQuarantined(QuarantineSelection(ids: meant.map(\.id)))
            for record in gone { tell(record) }
        }
    }

    private func tell(_ record: QuarantinedRecord) {
        if options.json {
            var object = Shapes.quarantined(record)
            object.add("done", !dryRun)
            Output.line(object.text)
        } else {
            options.printMessage("\(record.id): \(dryRun ? "would be " : "")forgotten")
        }
    }
}

/// The options that select quarantined records.
struct QuarantineOptions: ParsableArguments {
    @Argument(help: "Numbers of 'siding quarantine list'.") var ids: [Int64] = []
    @Option(help: ArgumentHelp("Records of this resource; may be repeated.", valueName: "name"))
    var resource: [String] = []

    var selection: QuarantineSelection { QuarantineSelection(ids: ids, resources: resource) }
}

extension Workspace {
    /// - Throws: ``CommandError`` with code 66 for a resource that is neither in the config nor stored.
    fileprivate func checkAreKnown(_ resources: [String], in store: Store) async throws {
        guard !resources.isEmpty else { return }
        let (known, stored) = (config.resources.map(\.name), try await store.resourceStates().map(\.resource))
        for name in resources where !known.contains(name) && !stored.contains(name) {
            throw notFound("resource", name, among: known)
        }
    }
}
