import Foundation
import UnixSignals

/// What signals mean to a command.
enum Signals {
    /// A reader that went away is seen where the writing fails; a file size limit likewise.
    static func ignoreBrokenPipes() {
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
    }

    /// Holds the places of standard input, output and error where they were closed, so that no file or socket takes them
    /// and is written to as if it were one of them.
    static func holdStandardFiles() {
        var descriptor = open("/dev/null", O_RDWR)
        while descriptor >= 0, descriptor <= STDERR_FILENO { descriptor = open("/dev/null", O_RDWR) }
        if descriptor > STDERR_FILENO { close(descriptor) }
    }

    /// Runs `work`; SIGINT or SIGTERM cancels it, and it may finish or roll back what it is at. A second signal ends the
    /// process at once.
    ///
    /// - Returns: what `work` gave, and the exit status of the signal that came meanwhile.
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
