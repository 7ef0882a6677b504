import ArgumentParser
import Siding
import SidingManifest

/// `siding queue resolve ID`
struct QueueResolveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resolve", abstract: "Decide between a write and what the origin has.",
        discussion: """
            'siding queue show ID' prints what each side would have. --mine sends the write over theirs. --arrived settles a \
            write of which it is uncertain whether the origin has it, after a look.
            """)

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The entry's id, or a unique prefix of at least 4 characters.") var id: String
    @Flag(help: "Send it again, over what the origin has.") var mine = false
    @Flag(help: "Drop it: the origin's stays.") var theirs = false
    @Option(help: ArgumentHelp("Send this instead: the whole record as it is to be.", valueName: "file"))
    var merge: String?
    @Flag(help: "It has arrived: it counts as delivered, and what waits for it goes on.") var arrived = false
    @Option(help: ArgumentHelp("With --arrived: what the origin calls the record that it created.", valueName: "id"))
    var realID: String?
    @Flag(help: "Do not ask before a write is dropped.") var yes = false

    func validate() throws {
        guard [mine, theirs, merge != nil, arrived].filter(\.self).count == 1 else {
            throw ValidationError("Say one of --mine, --theirs, --merge FILE and --arrived.")
        }
        if realID != nil, !arrived { throw ValidationError("--real-id goes with --arrived.") }
    }

    func run() async throws {
        try await options.withStore(.readWrite) { _, store in
            guard let entry = try await store.entries(QueueSelection(ids: [id])).first else {
                throw CommandError(.notFound, "not_found", "no queue entry begins with '\(id)'")
            }
            if theirs { try Confirmation(options, isGiven: yes).ask("dropping \(entry.shortID)") }
            let resolved = try await store.resolve(entry.id, as: try resolution())
            if options.json { return Output.line(Shapes.entry(resolved).text) }
            options.talk("\(entry.shortID): \(Self.words(resolved))")
        }
    }

    private static func words(_ entry: QueueEntry) -> String {
        switch entry.state {
        case .done: "settled as delivered"
        case .dropped: "dropped"
        case .queued, .sending, .parked: "queued as \(entry.shortID)"
        }
    }

    private func resolution() throws -> ConflictResolution {
        if mine { return .mine }
        if arrived { return .arrived(id: realID) }
        guard let merge else { return .theirs }
        let body = try BodyArgument.read(merge == "-" ? "-" : "@\(merge)")
        try BodyArgument.check(body, contentType: "application/json")
        return .merge(body)
    }
}
