// SPDX-License-Identifier: Apache-2.0
import Foundation
import Logging
import ServiceLifecycle
import Siding
import SidingSynchronization

/// Tells the service manager that the service is ready, looks for work, and stops; and limits the time of stopping.
struct ServiceLifetime: Service {
    /// Seconds from the signal to the end, whatever happens.
    static let timeToStop: UInt32 = 10

    let siding: Siding
    /// Fires once the HTTP interface listens, or if there is none.
    let isListening: ChangeSignal
    let socket: NotifySocket?
    let watchdog: Watchdog?
    /// What the service manager shows of a service that works.
    let status: @Sendable () -> String
    let logger: Logger

    func run() async {
        // Ends also when another service of the group fails.
        await cancelWhenGracefulShutdown { await isListening.wait(past: 0) }
        if !Task.isCancelled, !Task.isShuttingDownGracefully { socket?.ready(status()) }
        await withTaskGroup(of: Void.self) { group in
            if let watchdog { group.addTask { await watchdog.run { siding.lastPoll } } }
            if let socket { group.addTask { await showFailures(on: socket) } }
            group.addTask { await keepSmall() }
            try? await gracefulShutdown()
            group.cancelAll()
        }
        stop()
    }

    /// Shows the service manager why nothing can be stored, and when that is over.
    private func showFailures(on socket: NotifySocket) async {
        var isFailing = false
        while (try? await Task.sleep(for: .seconds(10))) != nil {
            let failure = siding.storeFailure
            if let failure {
                socket.shows("nothing can be stored: \(failure.message)")
            } else if isFailing {
                socket.shows(status())
            }
            isFailing = failure != nil
        }
    }

    /// Unmaps unused code after the start, and again each minute, as pages and syncs map it again.
    private func keepSmall() async {
        var pause = Duration.seconds(2)
        while (try? await Task.sleep(for: pause)) != nil {
            UnusedCode.unmap()
            pause = .seconds(60)
        }
    }

    /// From now on a second signal ends the process at once, and so does the kernel when the time is over, even if no thread is
    /// free. What is lost then is found by the next process, as after a loss of power.
    static func limit() {
        signal(SIGHUP, SIG_IGN)
        alarm(timeToStop)
        Signals.endAtNext()
    }

    private func stop() {
        // Also if a service failed, which no signal announces.
        Self.limit()
        logger.notice("stopping")
        socket?.stopping()
    }
}
