// SPDX-License-Identifier: Apache-2.0
import SidingSynchronization

/// What the queue promises in time, each figure beside its bar. Exits with 1 where one is missed.
///
///     QueueBenchmark accept SIDING            a namespace without any route
///     QueueBenchmark scale SIDING             anywhere
///     QueueBenchmark act SIDING               anywhere
///     QueueBenchmark line SIDING NAMESPACE    the far end of a cable to NAMESPACE; `Benchmarks/run-queue` lays it
@main struct QueueBenchmark {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        let report =
            switch (arguments.first, arguments.count) {
            case ("accept", 2): try await Accepting(siding: arguments[1]).measure()
            case ("scale", 2): try await Scale(siding: arguments[1]).measure()
            case ("act", 2): try await Acting(siding: arguments[1]).measure()
            case ("line", 3): try await Line(siding: arguments[1], near: arguments[2]).measure()
            default: usage()
            }
        print(report.text)
        if !report.isHeld { exit(1) }
    }

    private static func usage() -> Never {
        print(
            "usage: QueueBenchmark accept SIDING | scale SIDING | act SIDING | line SIDING NAMESPACE; see Benchmarks/run-queue"
        )
        exit(64)
    }
}
