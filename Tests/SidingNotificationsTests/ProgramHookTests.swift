// SPDX-License-Identifier: Apache-2.0
import Foundation
import Siding
import SidingChain
import SidingTesting
import Testing

@testable import SidingNotifications

/// Hooks that are real programs.
@Suite struct ProgramHookTests {
    private func hook(_ script: String, _ bench: NotifyBench) -> NotificationHook {
        NotificationHook(
            .command(Program("/bin/sh", arguments: ["-c", script], directory: bench.directory.path)))
    }

    private func lines(_ name: String, _ bench: NotifyBench) -> [String] {
        let text = (try? String(contentsOfFile: bench.directory.path(of: name), encoding: .utf8)) ?? ""
        return text.split(separator: "\n").map(String.init)
    }

    private func failing() async throws -> NotifyBench {
        let bench = try await NotifyBench()
        try await bench.run(.failed, error: "the origin answered 403")
        return bench
    }

    @Test func `a program gets the JSON as a line on its standard input, and few variables`() async throws {
        let bench = try await failing()
        let program = hook("cat >event.json; env >environment", bench)
        try await bench.notifier([program]).notify()
        let input = try Data(contentsOf: URL(filePath: bench.directory.path(of: "event.json")))
        #expect(input.last == UInt8(ascii: "\n") && input.count { $0 == UInt8(ascii: "\n") } == 1)
        let event = try SentEvent(Array(input))
        #expect(event.event == "failed")
        #expect(event.message == "the origin answered 403")
        let names = lines("environment", bench).map { $0.prefix { $0 != "=" } }
        #expect(names.contains("PATH"))
        #expect(!names.contains("TOKEN"))
        #expect(bench.reported == [])
    }

    @Test(arguments: [
        "exit 0", "exec <&-; exit 0", "head -c 3000000 /dev/zero; echo ok >took", "cat >/dev/null; exit 0",
    ]) func `a program that ignores its input or prints a lot took the notification`(_ script: String) async throws {
        let bench = try await failing()
        try await bench.notifier([hook(script, bench)]).notify()
        #expect(bench.reported == [])
        #expect(try await bench.store.incidents().map(\.notified.count) == [1])
    }

    @Test(arguments: [
        ("echo x >>calls; exit 3", "the program 'sh' ended with status 3"),
        ("echo x >>calls; kill -SEGV $$", "the program 'sh' was ended by signal 11"),
    ]) func `a program that fails is run again after a while`(_ script: String, _ reason: String) async throws {
        let bench = try await failing()
        for _ in 1...2 { try await bench.notifier([hook(script, bench)]).notify() }
        bench.time.advance(by: .seconds(60))
        try await bench.notifier([hook(script, bench)]).notify()
        #expect(lines("calls", bench).count == 2)
        let message = "notify: command sh failed: \(reason); it is called again after"
        #expect(bench.reported == ["\(message) 60 s", "\(message) 2 min"])
    }

    @Test func `a program that is missing is a message`() async throws {
        let bench = try await failing()
        let missing = NotificationHook(.command(Program("/nowhere/alert", arguments: [], directory: "/")))
        try await bench.notifier([missing]).notify()
        #expect(
            bench.reported
                == [
                    "notify: command alert failed: there is no program 'alert' that this user may run; it is called again after 60 s"
                ])
    }

    @Test(.timeLimit(.minutes(5))) func `a program that hangs is killed with its children after its time`() async throws
    {
        let bench = try await failing()
        let clock = ManualClock()
        // The child tells its number; it and its parent ignore polite signals.
        let program = hook("trap '' TERM INT; mkfifo never; (echo $$ >running; exec cat never) & wait", bench)
        async let notified: Void = { _ = try await bench.notifier([program], clock: clock).notify() }()
        while lines("running", bench).isEmpty { await Task.yield() }
        await clock.sleepers(1, waiting: .seconds(30))
        clock.advance(by: .seconds(30))
        try await notified
        let pid = try #require(lines("running", bench).first.flatMap { Int32($0) })
        // A killed process takes a moment to end.
        while !ProcessGroup.isGone(pid) { await Task.yield() }
        #expect(
            bench.reported
                == [
                    "notify: command sh failed: the program 'sh' took longer than 30.0 seconds; it is called again after 60 s"
                ])
        #expect(try await bench.store.incidents().map(\.notified.count) == [0])
    }
}

private enum ProcessGroup {
    /// Whether every process of the group has ended; a killed child of nobody may stay as a zombie until it is reaped.
    static func isGone(_ group: Int32) -> Bool {
        let numbers = (try? FileManager.default.contentsOfDirectory(atPath: "/proc"))?.filter { Int32($0) != nil } ?? []
        return numbers.allSatisfy { number in
            guard let text = try? String(contentsOfFile: "/proc/\(number)/stat", encoding: .utf8),
                let fields = text.split(separator: ")").last?.split(separator: " "), fields.count > 2
            else { return true }
            return fields[2] != "\(group)" || fields[0] == "Z"
        }
    }
}
