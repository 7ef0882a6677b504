// SPDX-License-Identifier: Apache-2.0
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
        // Before the work begins: until then a signal ends the process at once.
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        return try await withThrowingTaskGroup(of: Event<Value>.self) { group in
            group.addTask { .finished(try await work()) }
            group.addTask { await first(of: signals) }
            var stopped: ExitStatus?
            while let event = try await group.next() {
                switch event {
                case .finished(let value):
                    group.cancelAll()
                    return (value, stopped)
                case .signalled(let status):
                    stopped = status
                    group.cancelAll()
                    endAtNext()
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

    private static func first<Value>(of signals: UnixSignalsSequence) async -> Event<Value> {
        for await signal in signals { return .signalled(signal == .sigint ? .interrupted : .terminated) }
        return .nothing
    }

    /// From now on SIGINT and SIGTERM end the process at once.
    ///
    /// A thread that waits for them is what the kernel can choose to end the process: it passes over threads that block a
    /// signal, as those of Dispatch do, and over one that is just waking up. If it finds none, Dispatch reads the signal, and
    /// nothing happens (signal(7), "Process-directed and thread-directed signals").
    static func endAtNext() {
        signal(SIGINT, SIG_DFL)
        signal(SIGTERM, SIG_DFL)
        let isWaiting = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            var ending = sigset_t()
            sigemptyset(&ending)
            sigaddset(&ending, SIGINT)
            sigaddset(&ending, SIGTERM)
            pthread_sigmask(SIG_UNBLOCK, &ending, nil)
            isWaiting.signal()
            while true { pause() }
        }
        // A machine that has no room for another thread does without.
        _ = isWaiting.wait(timeout: .now() + .seconds(1))
    }
}
