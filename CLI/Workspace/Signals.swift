import Foundation
import UnixSignals

/// Signal handling of commands.
enum Signals {
    /// Ignores SIGPIPE and SIGXFSZ, so that a vanished reader or a file size limit appears as a write error.
    static func ignoreBrokenPipes() {
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
    }

    /// Opens `/dev/null` for each closed one of standard input, output and error, so that no file or socket gets its descriptor
    /// and receives its output.
    static func holdStandardFiles() {
        var descriptor = open("/dev/null", O_RDWR)
        while descriptor >= 0, descriptor <= STDERR_FILENO { descriptor = open("/dev/null", O_RDWR) }
        if descriptor > STDERR_FILENO { close(descriptor) }
    }

    /// Runs `work`; SIGINT or SIGTERM cancels it, which lets it finish or roll back its current step. A second signal ends the
    /// process at once.
    ///
    /// - Returns: the result of `work`, and the exit status of a signal that arrived meanwhile.
    static func stopping<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> (value: Value, stopped: ExitStatus?) {
        try await withThrowingTaskGroup(of: Event<Value>.self) { group in
            group.addTask { .finished(try await work()) }
            group.addTask { await firstSignal() }
            var stopped: ExitStatus?
            while let event = try await group.next() {
                switch event {
                case .finished(let value):
                    group.cancelAll()
                    return (value, stopped)
                case .signalled(let status):
                    stopped = status
                    signal(SIGINT, SIG_DFL)
                    signal(SIGTERM, SIG_DFL)
                    group.cancelAll()
                case .nothing: break
                }
            }
            throw CancellationError()
        }
    }

    private enum Event<Value: Sendable>: Sendable {
        case finished(Value)
        case signalled(ExitStatus)
        case nothing
    }

    private static func firstSignal<Value>() async -> Event<Value> {
        for await signal in await UnixSignalsSequence(trapping: .sigint, .sigterm) {
            return .signalled(signal == .sigint ? .interrupted : .terminated)
        }
        return .nothing
    }
}
