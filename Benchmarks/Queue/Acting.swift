// SPDX-License-Identifier: Apache-2.0
import Siding
import SidingChain
import Synchronization

/// What an operator does to fifty thousand queued writes at once, and a `siding send` beside it.
struct Acting {
    let siding: String
    private static let writes = 50_000
    /// In milliseconds.
    private static let bar = 5_000.0
    private static let sendBar = 200.0

    func measure() async throws -> Report {
        let place = try Workplace(origin: "http://10.99.0.2:8080")
        var report = Report("Operator actions on \(Self.writes) writes in \(Self.writes / 2) lanes")
        let store = try await Store.open(at: place.database, durability: .normal)
        for number in 0..<Self.writes {
            _ = try await store.enqueue(try Scale.write(number: number, lanes: Self.writes / 2))
        }
        await store.close()
        // What a send adds meanwhile is not held.
        for action in ["hold --all", "release --reason held", "edit --all --header X-Reason:mended", "drop --all"] {
            let command = ["queue"] + action.split(separator: " ").map(String.init)
            try await time(command + ["--dry-run"], place, &report)
            try await time(command + ["--yes"], place, &report)
        }
        return report
    }

    /// Runs a command, and one `siding send` after the other until it ends.
    private func time(_ command: [String], _ place: Workplace, _ report: inout Report) async throws {
        let arguments = [siding] + command + place.options
        let done = Flag()
        let ending = Task.detached {
            defer { done.set() }
            return try ChildProgram.run(arguments)
        }
        var sends: [Duration] = []
        repeat {
            let sent = try ChildProgram.run(
                [siding, "send", "POST", "van:/orders", "-d", "{}", "--no-send", "--quiet"] + place.options)
            // 75: kept for later.
            guard sent.status == 0 || sent.status == 75 else {
                throw Unexpected(
                    message: "'siding send' ended with \(sent.status) beside '\(command.joined(separator: " "))'")
            }
            sends.append(sent.end)
        } while !done.isSet
        let ended = try await ending.value
        guard ended.status == 0 || ended.status == 75 else {
            throw Unexpected(message: "'siding \(command.joined(separator: " "))' ended with \(ended.status)")
        }
        let name = command.joined(separator: " ")
        report.add(name, [ended.end], .atMost(Self.bar), at: 0)
        report.add("  a send beside it, slowest of \(sends.count)", sends, .atMost(Self.sendBar), at: 1)
    }
}

/// Set by one task and read by another.
private final class Flag: Sendable {
    private let value = Atomic(false)
    var isSet: Bool { value.load(ordering: .acquiring) }
    func set() { value.store(true, ordering: .releasing) }
}
