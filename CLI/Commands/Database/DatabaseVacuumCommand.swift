// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Siding
import SidingChain
import SidingInspection
import SidingSynchronization

/// `siding db vacuum`: gives free pages of the file back to the file system.
struct DatabaseVacuumCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "vacuum", abstract: "Give the file's free pages back, in small steps beside running syncs.",
        discussion:
            "A run does this by itself at its end if more than a quarter of the file is free. A file of an earlier version needs --full once."
    )

    @OptionGroup var options: GlobalOptions
    @Flag(
        help:
            "Rewrite the whole file. No other process may use it, and its contents need to fit on the disk once more, and into the directory of temporary files (TMPDIR)."
    ) var full = false

    func run() async throws {
        let returned = try await options.withStore(.readWrite) { _, store in
            full ? try await store.rewrite() : try await giveBack(store)
        }
        if options.json {
            Output.line([
                "bytes_before": returned.bytesBefore, "bytes_after": returned.bytesAfter,
                "free_bytes": returned.freeBytes,
            ])
        } else {
            options.printMessage(
                "\(MessageFormat.size(returned.bytesBefore)) before, \(MessageFormat.size(returned.bytesAfter)) now")
        }
        if returned.isHeldUp {
            options.printMessage(
                "the file itself is not shorter yet: another process reads or writes, and holds the checkpoint up; run this again "
                    + "after it")
        }
    }

    /// Ends early, after a whole step, if a signal cancels the task.
    private func giveBack(_ store: Store) async throws -> SpaceReturned {
        let isShown = options.terminal.isError && !options.quiet && !options.json
        defer { if isShown { Output.draw("\r\u{1B}[2K") } }
        return try await store.giveBackFreePages { all, left in
            guard isShown else { return }
            Output.draw("\r\u{1B}[2K\((all - left) * 100 / max(all, 1)) % given back")
        }
    }
}
