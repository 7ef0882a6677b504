// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import Logging
import ServiceLifecycle
import Siding
import SidingChain
import SidingHTTP
import SidingHub
import SidingManifest
import SidingNetwork
import SidingNotifications
import SidingSynchronization
import UnixSignals

/// `siding serve`: keeps resources fresh and delivers writes until it is told to stop.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Keep resources fresh and deliver writes, until stopped.",
        discussion: """
            Syncs each resource when its 'schedule' or 'max_age' says so, sends writes as they become due, publishes what has \
            changed, and goes on at once when the network returns. Other commands may use the same database meanwhile.
            SIGHUP loads the config and the token anew; those with faults are refused. SIGTERM or SIGINT stops it within ten \
            seconds (exit 0).
            """)

    @OptionGroup var options: GlobalOptions
    @OptionGroup var http: ListenOptions
    @OptionGroup var shard: ShardOption

    func run() async throws {
        // First of all: these signals end a process that does not trap them. The outer group traps those that stop the service, and
        // the inner one of ``serve(_:_:)`` hears of them from it, also if they come before it runs.
        let hangups = await UnixSignalsSequence(trapping: .sighup)
        let logger = options.logger(.notice)
        let service = StoppableService { try await serve(hangups, logger) }
        try await ServiceGroup(
            services: [service], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger
        ).run()
        logger.notice("stopped")
    }

    private func serve(_ hangups: UnixSignalsSequence, _ logger: Logger) async throws {
        let (workspace, shard) = (try Workspace.load(options), try shard.value())
        try await workspace.withStore(.readWriteCreate) { store in
            try await Network.withTransports { http in
                let current = CurrentWorkspace(workspace)
                let siding = try await Siding(
                    store: .store(store), resources: workspace.config.resources, sources: workspace.config.sources,
                    transports: options.watching(http, current.value.config), credentials: workspace.credentials,
                    environment: RuntimeEnvironment(logger: logger), shard: shard)
                let watch = IncidentWatch {
                    current.value.notifier(store, over: http) { logger.warning("\($0)") }
                }
                let hubs = HubWatch(store, logger: logger) { current.value.config.targets }
                let services = try services(of: siding, [watch, hubs], current, hangups, logger)
                var metadata = workspace.logged
                metadata["shard"] = shard.map { "\($0)" }
                logger.notice("\(Version.text) serves", metadata: metadata)
                await cancelWhenGracefulShutdown { await workspace.warnOfSecrets(logger) }
                workspace.warnOfZone(logger)
                await workspace.warnOfUnsent(store, logger)
                // One that fails stops the others as a signal does: pages are answered, and event streams end whole.
                let parts = services.map { service in
                    ServiceGroupConfiguration.ServiceConfiguration(
                        service: service, failureTerminationBehavior: .gracefullyShutdownGroup)
                }
                try await ServiceGroup(
                    configuration: ServiceGroupConfiguration(services: parts, logger: logger)
                ).run()
            }
        }
    }

    /// In the order in which they start; they stop in the reverse order, one after the other.
    private func services(
        of siding: Siding, _ watches: [any Service], _ workspace: CurrentWorkspace, _ hangups: UnixSignalsSequence,
        _ logger: Logger
    ) throws -> [any Service] {
        let environment = ProcessInfo.processInfo.environment
        let socket = NotifySocket(environment)
        let isListening = ChangeSignal()
        let service = try http.service(of: siding, { workspace.value.publishedTargets }, logger) { address in
            logger.notice("listens", metadata: ["address": "\(address)"])
            isListening.fire()
        }
        if service == nil { isListening.fire() }
        let lifetime = ServiceLifetime(
            siding: siding, isListening: isListening, socket: socket, watchdog: Watchdog(environment, socket),
            status: { workspace.value.status }, logger: logger)
        let reload = ConfigReload(
            hangups: hangups, options: options, listening: http, workspace: workspace, siding: siding, service: service,
            socket: socket, logger: logger)
        return (service.map { [$0] } ?? []) + [ServicesTogether(services: [siding] + watches), reload, lifetime]
    }
}

/// All of the service, from the reading of its config on.
private struct StoppableService: Service {
    let body: @Sendable () async throws -> Void

    func run() async throws {
        try await withGracefulShutdownHandler {
            try await body()
        } onGracefulShutdown: {
            ServiceLifetime.limit()
        }
    }
}

/// Services that stop at the same time, so that their times for stopping do not add up.
private struct ServicesTogether: Service {
    let services: [any Service]

    func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for service in services { group.addTask { try await service.run() } }
            // One that fails ends the others; `waitForAll` would wait for them.
            while try await group.next() != nil {}
        }
    }
}
