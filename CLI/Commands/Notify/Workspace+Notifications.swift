// SPDX-License-Identifier: Apache-2.0
import Foundation
import Siding
import SidingChain
import SidingManifest
import SidingNotifications

extension Workspace {
    /// The hooks of the config over `store`.
    ///
    /// - Parameters:
    ///   - transports: nil if no request may be sent.
    ///   - report: is given a message for each hook that failed.
    func notifier(
        _ store: Store, over transports: (any TransportFactory)?, report: @escaping @Sendable (String) -> Void
    ) -> Notifier {
        Notifier(
            hooks: config.hooks, resources: config.resources.map(\.name), targets: publishedTargets, store: store,
            call: hookCall(over: transports), host: Self.host, report: report)
    }

    func hookCall(over transports: (any TransportFactory)?) -> HookCall {
        HookCall(transports: transports, variables: ProcessInfo.processInfo.environment)
    }

    /// The name of this machine, for notifications.
    static var host: String { ProcessInfo.processInfo.hostName }

    /// Does the work of a run, then notifies the hooks of what it changed. What the run returns or throws does not depend on
    /// them.
    func notifying(
        _ store: Store, isOffline: Bool = false, _ run: () async throws -> ExitStatus
    ) async throws -> ExitStatus {
        if config.hooks.isEmpty, try await store.incidents().isEmpty { return try await run() }
        return try await Network.withTransports { http in
            // Who waits at a terminal did not ask for it; 'siding notify list' counts what failed.
            let isWatched = Terminal.current(noColor: true).isOutput
            let notifier = notifier(store, over: isOffline ? nil : http) { if !isWatched { Output.printMessage($0) } }
            async let begun: Void = notifier.begin()
            let result: Result<ExitStatus, any Error>
            do { result = .success(try await run()) } catch { result = .failure(error) }
            await begun
            switch result {
            case .success(let status) where status.isStop: break
            case .success: _ = try await Signals.stopping { await notifier.end() }
            case .failure(let error):
                let problem = CommandError(error)
                // A typing error in a command says nothing about the store.
                let failure = [.usage, .notFound].contains(problem.status) ? nil : problem.message
                _ = try await Signals.stopping { await notifier.end(failure: failure) }
            }
            return try result.get()
        }
    }
}
