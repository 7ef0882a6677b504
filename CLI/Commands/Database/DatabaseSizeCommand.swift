// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Siding
import SidingChain
import SidingInspection

/// `siding db size`: shows what fills the file.
struct DatabaseSizeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "size", abstract: "Show the size of the file and what fills it; reads all of it.")
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let (file, sizes) = try await options.withStore { _, store in
            (try await store.description(), try await store.sizes())
        }
        if options.json {
            Output.line([
                "path": file.path, "bytes": file.bytes, "free_bytes": file.freeBytes, "parts": sizes?.objects,
            ])
        } else if let sizes {
            // The log is beside the database: its pages are counted in the other parts, too.
            let whole = sizes.sizes.reduce(0) { $1.part == .wal ? $0 : $0 + $1.bytes }
            var table = Table(["part", ">size", ">share"])
            for size in sizes.sizes where size.bytes > 0 {
                let share = size.part == .wal ? "" : "\(size.bytes * 100 / max(whole, 1)) %"
                table.add([size.name, MessageFormat.size(size.bytes), share])
            }
            table.print(options.terminal)
        } else {
            Output.line("\(MessageFormat.size(file.bytes)), of which \(MessageFormat.size(file.freeBytes)) are free")
            options.printMessage("SQLite \(file.sqliteVersion) here has no dbstat table, so the parts are unknown")
        }
    }
}
