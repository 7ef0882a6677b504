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
    let status: String
    let logger: Logger

    func run() async {
        // Ends also when another service of the group fails.
        await isListening.wait(past: 0)
        if !Task.isCancelled { socket?.ready(status) }
        await withTaskGroup(of: Void.self) { group in
            if let watchdog { group.addTask { await watchdog.run { siding.lastLook } } }
            try? await gracefulShutdown()
            group.cancelAll()
        }
        stop()
    }

    private func stop() {
        // A second signal ends the process at once, and so does the kernel when the time is over, even if no thread is free.
        // What is lost then is found by the next process, as after a loss of power.
        signal(SIGINT, SIG_DFL)
        signal(SIGTERM, SIG_DFL)
        signal(SIGHUP, SIG_IGN)
        alarm(Self.timeToStop)
        logger.notice("stopping")
        socket?.stopping()
    }
}
