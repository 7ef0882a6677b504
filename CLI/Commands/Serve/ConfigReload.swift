// SPDX-License-Identifier: Apache-2.0
import Logging
import ServiceLifecycle
import Siding
import SidingChain
import SidingManifest
import SidingSchedule
import SidingService
import SidingSynchronization
import UnixSignals

/// Loads the config and the token anew on SIGHUP. If they have faults they are refused, and the service goes on with those that it
/// has.
struct ConfigReload: Service {
    /// Traps SIGHUP, which would end the process, from its start on.
    let hangups: UnixSignalsSequence
    let options: GlobalOptions
    let listening: ListenOptions
    let workspace: CurrentWorkspace
    let siding: Siding
    /// The HTTP interface, if there is one.
    let service: HTTPService?
    let socket: NotifySocket?
    let logger: Logger

    func run() async {
        for await _ in hangups.cancelOnGracefulShutdown() {
            socket?.reloading()
            let status = await reload()
            socket?.ready(status)
        }
    }

    /// - Returns: the state of the service, in a line.
    private func reload() async -> String {
        do {
            let (old, new) = (workspace.value, try Workspace.load(options))
            try await Self.checkSecrets(of: new, instead: old)
            guard new.databasePath == old.databasePath, new.credentials == old.credentials else {
                throw CommandError(
                    .config, "config", "\(new.config.file): the database is another one, \(new.databasePath)",
                    hint: "a running service stays with its database: stop it and start it again")
            }
            if let service, let token = try listening.token(logger) { try service.replaceToken(token) }
            try siding.replace(resources: new.config.resources, sources: new.config.sources)
            workspace.set(new)
            logger.notice("loaded the config", metadata: new.logged)
            new.warnOfZone(logger)
            await new.warnOfUnsent(siding.store, logger)
            return new.status
        } catch {
            let problem = CommandError(error)
            logger.error(
                "the new config is refused, and the old one stays",
                metadata: ["config": "\(workspace.value.config.file)"])
            for line in problem.message.split(separator: "\n") { logger.error("\(line)") }
            if let hint = problem.hint { logger.error("\(hint)") }
            return "the new config is refused: \(problem.message.split(separator: "\n").first ?? "")"
        }
    }

    /// Refuses a config that would stop a source which works now: one with a secret that cannot be read. Those that the old config
    /// cannot read either hold up no change of the other sources.
    private static func checkSecrets(of new: Workspace, instead old: Workspace) async throws {
        let known = Set(await old.config.secretFaults().map(\.message))
        let faults = await new.config.secretFaults().filter { !known.contains($0.message) }
        guard faults.isEmpty else { throw ConfigError.invalid(faults) }
    }
}

/// The config that a service works with.
final class CurrentWorkspace: Sendable {
    private let state: Mutex<Workspace>

    init(_ workspace: Workspace) {
        state = Mutex(workspace)
    }

    var value: Workspace { state.withLock { $0 } }

    func set(_ workspace: Workspace) { state.withLock { $0 = workspace } }
}

extension Workspace {
    /// What `systemctl status` shows of a service that works.
    var status: String {
        "\(MessageFormat.count(config.resources.count, "resource")) of \(config.file), in \(databasePath)"
    }

    /// What the log shows of a config.
    var logged: Logger.Metadata {
        [
            "config": "\(config.file)", "database": "\(databasePath)", "resources": "\(config.resources.count)",
            "sources": "\(config.sources.count)",
        ]
    }

    /// Warns of secrets that cannot be read: the requests that need them fail until they can be.
    func warnOfSecrets(_ logger: Logger) async {
        for fault in await config.secretFaults() { logger.warning("\(fault)") }
    }

    /// Warns of schedules that follow another time zone than the one that was meant.
    func warnOfZone(_ logger: Logger) {
        let caution = config.resources.lazy.compactMap { MachineZone.caution(for: $0.schedule) }.first
        if let caution { logger.warning("\(caution)") }
    }

    /// Warns of writes in the queue that nobody sends, because the config has lost their source. A store that cannot be read is
    /// told by the next look for work.
    func warnOfUnsent(_ store: Store, _ logger: Logger) async {
        let names = Set(config.sources.map(\.name))
        for source in (try? await store.sourcesOfWrites()) ?? [] where !names.contains(source) {
            logger.warning("the config no longer has such a source: its writes stay", metadata: ["source": "\(source)"])
        }
    }
}
