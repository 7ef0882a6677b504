// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Siding
import SidingChain
import SidingManifest

/// `siding queue resolve`: resolves conflicts between writes and the server's records.
struct QueueResolveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resolve", abstract: "Resolve conflicts between writes and the origin's records.",
        discussion: """
            'siding queue show ID' prints both sides. --mine sends the write, --theirs drops it. --arrived marks an uncertain \
            write as delivered: look at the origin first. --merge and --real-id are for one entry.
            """)

    @OptionGroup var action: ActionOptions
    @Flag(help: "Send it again, over the origin's record.") var mine = false
    @Flag(help: "Drop it: the origin's record stays.") var theirs = false
    @Option(help: ArgumentHelp("Send the whole record in this file instead.", valueName: "file"))
    var merge: String?
    @Flag(help: "Mark it as delivered; entries that wait for it continue.") var arrived = false
    @Option(help: ArgumentHelp("With --arrived: the origin's id of the created record.", valueName: "id"))
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
                meant.count == 1
                ? meant.map(\.shortID)[0] : MessageFormat.count(meant.count, "entry", plural: "entries")
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
