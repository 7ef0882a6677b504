// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Siding
import SidingChain
import SidingInspection
import SidingManifest

/// `--metrics-file`: leaves the state of the database for node_exporter's textfile collector when a command ends.
struct MetricsFileOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "At the end, write the state of the database to this file, for Prometheus' node_exporter.",
            valueName: "file"))
    var metricsFile: String?

    func validate() throws {
        if metricsFile == "" { throw ValidationError("--metrics-file needs the path of a file, and got an empty one.") }
    }

    /// Runs `body`, then writes the file, also after a failure: that is when somebody wants to know. Resources that other shards
    /// fetch are left out.
    ///
    /// - Throws: the error of `body`; only if there is none, that of the file. The other one is printed.
    func written(for options: GlobalOptions, _ shard: Shard?, after body: () async throws -> Void) async throws {
        var failure: (any Error)?
        do { try await body() } catch { failure = error }
        do {
            // Without a config there is no database to ask.
            if let metricsFile, !(failure is ConfigError) { try await write(to: metricsFile, options, shard) }
        } catch {
            guard failure != nil else { throw error }
            Output.printMessage("siding: the metrics were not written: \(CommandError(error).message)")
        }
        if let failure { throw failure }
    }

    private func write(to path: String, _ options: GlobalOptions, _ shard: Shard?) async throws {
        let text = try await options.withStore { workspace, store in
            try await MetricsText.text(
                resources: workspace.resources(fetchedBy: shard), targets: workspace.publishedTargets, store: store,
                now: WallClock.system.now)
        }
        let file = try AtomicFile(path, replaces: true)
        try file.letEverybodyRead()
        try file.write(Array(text.utf8))
        try file.finish()
    }
}
