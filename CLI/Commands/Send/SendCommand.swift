// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import SidingInspection
import HTTPTypes
import Siding
import SidingChain
import SidingJSON

/// `siding send`: stores a write in the queue, then sends it.
struct SendCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send", abstract: "Store a write in the queue, and send it at once if there is a connection.",
        usage: """
            siding send <method> <url or source:/path> [-d <body>] [-H <field>] [options]
            siding send <name>.<verb> [<id>] [-d <body>] [options]
            """,
        discussion: """
            The entry is on disk, and its id is printed, before anything is sent. A write that cannot be delivered now is \
            sent by the next 'siding sync' or 'siding queue run' (exit 75), also one whose source has a secret that cannot be \
            read here. A write that the origin refuses is parked until you decide (exit 69). Credentials come only from the \
            source's `auth:`.

            siding send POST tracker:/issues -d '{"title":"It leaks"}'
            siding send DELETE https://api.example.com/v2/issues/7 --lane issues/7
            siding send issues.update 7 -d '{"state":"closed"}'      # as `writes:` declares it
            """)

    @OptionGroup var options: GlobalOptions
    @Argument(help: "A method and a URL below a source's base_url, or source:/path; or NAME.VERB from `writes:`.")
    var words: [String]

    @Option(
        name: [.customShort("d"), .long, .customLong("body")],
        help: ArgumentHelp("The body; @file reads it from a file, - from standard input.", valueName: "body"))
    var data: String?

    @Option(
        name: [.customShort("H"), .customLong("header")],
        help: ArgumentHelp("A header field, such as 'If-Match: \"3\"'; may be repeated.", valueName: "field"))
    var header: [String] = []

    @Option(help: ArgumentHelp("The lane. Entries of one lane are delivered in order.", valueName: "lane")) var lane:
        String?
    @Option(help: ArgumentHelp("Send only after this entry is delivered; may be repeated.", valueName: "entry"))
    var after: [String] = []
    @Option(
        help: ArgumentHelp(
            "The idempotency key. A second send with the same key makes no second entry.", valueName: "key"))
    var key: String?
    @Option(help: ArgumentHelp("Park the entry as expired after this time, such as 7d.", valueName: "duration"))
    var expire: DurationArgument?
    @Flag(name: [.long, .customLong("offline")], help: "Store it only; the next sync or queue run sends it.")
    var noSend = false
    @Flag(help: "Wait until it is delivered or needs an operator.") var wait = false

    func validate() throws {
        if noSend, wait { throw ValidationError("--wait and --no-send exclude each other.") }
        if lane?.isEmpty == true { throw ValidationError("--lane needs a name.") }
    }

    func run() async throws {
        let workspace = try Workspace.load(options)
        let target = try WriteTarget(words, in: workspace.config)
        let write = try request(to: target)
        try target.source.check(write)
        let status = try await workspace.withStore(.readWriteCreate) { store in
            let entry = try await store.enqueue(write)
            Output.line(options.json ? Shapes.entry(entry).text : entry.id)
            Output.flush()
            let temporary = entry.recordKey.flatMap { TemporaryID.matches($0) ? $0 : nil }
            if let temporary { tell(temporary, of: entry) }
            let status = try await WriteDelivery(options: options, workspace: workspace, store: store)
                .run(entry, on: target.source, sends: !noSend, waits: wait)
            if temporary != nil, let now = try await store.entries(QueueSelection(ids: [entry.id])).first,
                let key = now.recordKey, key != temporary
            {
                tell(key, of: now)
            }
            return status
        }
        if status != .success { throw status }
    }

    /// Prints the id of the record that the write creates: the temporary one, then the origin's.
    private func tell(_ key: String, of entry: QueueEntry) {
        // In JSON it is a member of the entry.
        guard !options.json, let resource = entry.resource else { return }
        options.printMessage(
            "\(entry.shortID): the new record of '\(resource)' is \(PlainText.oneLine(key, limit: 100))")
    }

    private func request(to target: WriteTarget) throws -> WriteRequest {
        var write = target.request
        write.headerFields = try HeaderArguments.fields(header)
        write.body = try data.map { try BodyArgument.read($0) }
        if let body = write.body {
            if write.headerFields[.contentType] == nil { write.headerFields[.contentType] = "application/json" }
            try BodyArgument.check(body, contentType: write.headerFields[.contentType])
        }
        write.key = key
        for name in [Idempotency.standardField, write.idempotency?.field].compactMap(\.self) {
            guard let given = write.headerFields[name] else { continue }
            write.key = key ?? given
            write.headerFields[name] = nil
        }
        write.lane = lane ?? write.lane
        write.after = after
        write.expiry = expire?.duration ?? write.expiry
        return write
    }
}
