// SPDX-License-Identifier: Apache-2.0
import Foundation
import SidingSynchronization

/// A program that is started, listened to, and waited for.
///
/// By posix_spawn(3) itself: what stands between the clock and the child is then the system's alone.
struct ChildProgram {
    struct Ending {
        /// From the start to the first line of standard output.
        var firstLine: Duration
        /// From the start to the end.
        var end: Duration
        var status: Int32
        /// Standard output.
        var bytes: Int
    }

    struct NotStarted: Error {
        let program: String
        let code: Int32
    }

    private static let starting = NSLock()
    private let processID: pid_t
    private let output: Int32
    private let start: ContinuousClock.Instant

    init(_ arguments: [String]) throws {
        // A child that is started at the same time must not keep the pipe open.
        Self.starting.lock()
        defer { Self.starting.unlock() }
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw NotStarted(program: arguments[0], code: errno) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        for end in ends { posix_spawn_file_actions_addclose(&actions, end) }
        var words = arguments.map { strdup($0) } + [nil]
        defer { words.forEach { free($0) } }
        var child = pid_t()
        start = .now
        let code = posix_spawnp(&child, arguments[0], &actions, nil, &words, environ)
        close(ends[1])
        output = ends[0]
        processID = child
        guard code == 0 else {
            close(ends[0])
            throw NotStarted(program: arguments[0], code: code)
        }
    }

    /// Reads all that the program says, and waits for its end.
    func ending() -> Ending {
        var firstLine: Duration?
        var count = 0
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let length = read(output, &buffer, buffer.count)
            if length < 0, errno == EINTR { continue }
            guard length > 0 else { break }
            if firstLine == nil, buffer[..<length].contains(0x0A) { firstLine = .now - start }
            count += length
        }
        close(output)
        var status: Int32 = 0
        while waitpid(processID, &status, 0) < 0, errno == EINTR {}
        let end = ContinuousClock.now - start
        return Ending(firstLine: firstLine ?? end, end: end, status: status >> 8 & 0xFF | status & 0x7F, bytes: count)
    }

    /// Runs `arguments` to their end.
    static func run(_ arguments: [String]) throws -> Ending {
        try ChildProgram(arguments).ending()
    }
}
