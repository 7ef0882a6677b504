import ArgumentParser
import Siding
import SidingManifest

/// `siding queue resolve`: resolves conflicts between writes and the server's records.
struct QueueResolveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resolve", abstract: "Decide between writes and what the origin has.",
        discussion: """
            'siding queue show ID' prints what each side would have. --mine sends a write over theirs. --arrived settles a \
            write of which it is uncertain whether the origin has it, after a look. --merge and --real-id are for one entry.
            """)

    @OptionGroup var action: ActionOptions
    @Flag(help: "Send it again, over what the origin has.") var mine = false
    @Flag(help: "Drop it: the origin's stays.") var theirs = false
    @Option(help: ArgumentHelp("Send this instead: the whole record as it is to be.", valueName: "file"))
    var merge: String?
    @Flag(help: "It has arrived: it counts as delivered, and what waits for it goes on.") var arrived = false
    @Option(help: ArgumentHelp("With --arrived: what the origin calls the record that it created.", valueName: "id"))
    var realID: String?

    func validate() throws {
        guard [mine, theirs, merge != nil, arrived].filter(\.self).count == 1 else {
            throw ValidationError("Say one of --mine, --theirs, --merge FILE and --arrived.")
        }
        if realID != nil, !arrived { throw ValidationError("--real-id goes with --arrived.") }
        if merge == "-", action.selection.readsStandardInput {
            throw ValidationError("Standard input gives ids or the record, not both.")
        }
    }

    func run() async throws {
        let resolution = try resolution()
        try await action.run(.resolve(resolution)) { chosen, store in
            let meant = try await store.entries(chosen)
            try action.checkMeansAny(meant)
            for (option, isGiven) in [("--merge", merge != nil), ("--real-id", realID != nil)] where isGiven {
                try action.checkMeansOne(meant, option)
            }
            let what =
                meant.count == 1 ? meant.map(\.shortID)[0] : Words.count(meant.count, "entry", plural: "entries")
            if theirs { try action.confirm("dropping \(what)") }
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
