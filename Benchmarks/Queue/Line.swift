// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Siding
import SidingChain
import SidingOrigin
import SidingSynchronization

/// A thousand writes that wait for a line: how soon the first leaves when it is back, and how fast the rest follows.
///
/// Runs at the far end, where the origin is; `siding` runs in the namespace `near`.
struct Line {
    let siding: String
    let near: String
    private static let writes = 1_000
    private static let lanes = 40
    /// The line stays down over one probe.
    private static let outage = Duration.seconds(40)
    private static let probePace = Duration.seconds(30)

    /// What arrived, with its time.
    private final class Arrivals: Sendable {
        private let state = Mutex<[(path: String, at: ContinuousClock.Instant)]>([])
        func note(_ path: String) { state.withLock { $0.append((path, .now)) } }
        var all: [(path: String, at: ContinuousClock.Instant)] { state.withLock { $0 } }
    }

    func measure() async throws -> Report {
        let arrivals = Arrivals()
        let origin = try await Origin.start(on: ListeningSocket(at: "10.99.0.2")) { request in
            arrivals.note(request.path)
            return .json("{}", status: .created)
        }
        let place = try Workplace(origin: origin.url.origin)
        let store = try await Store.open(at: place.database)
        for number in 1...Self.writes {
            let lane = "l\(number % Self.lanes)"
            _ = try await store.enqueue(
                WriteRequest(
                    to: "van", .post, HTTPURL("\(origin.url.origin)/\(lane)/\(number)"), body: Array("{}".utf8),
                    idempotency: Idempotency()
                )
                .with(\.lane, lane))
        }
        try link("down")
        let start = ContinuousClock.now
        let sender = try ChildProgram(
            ["ip", "netns", "exec", near, siding, "queue", "run", "--watch"] + place.options)
        try await Task.sleep(for: Self.outage)
        var (probes, counted) = (0, 0)
        for entry in try await store.entries(QueueSelection()) {
            probes += try await store.history(of: entry.id).count { $0.event == .claimed }
            counted += entry.attempts
        }
        let most = 1 + Int((ContinuousClock.now - start) / Self.probePace)
        await store.close()
        let back = ContinuousClock.now
        try link("up")
        guard sender.ending().status == 0 else { throw Unexpected(message: "'siding queue run --watch' failed") }
        await origin.stop()
        return report(arrivals.all, since: back, probes: probes, most: most, counted: counted)
    }

    private func report(
        _ arrivals: [(path: String, at: ContinuousClock.Instant)], since back: ContinuousClock.Instant, probes: Int,
        most: Int, counted: Int
    ) -> Report {
        var report = Report(
            "\(Self.writes) writes in \(Self.lanes) lanes, full durability, the line down for \(Self.outage)")
        report.add("tries counted while it was down", Double(counted), "", .exactly(0))
        report.add("probes while it was down", Double(probes), "", .atMost(Double(most)))
        report.add("arrivals", Double(arrivals.count), "", .exactly(Double(Self.writes)))
        report.add("out of order in their lane", Double(inversions(arrivals.map(\.path))), "", .exactly(0))
        guard let first = arrivals.first?.at, let last = arrivals.last?.at, last > first else { return report }
        report.add("first send after the line's return", (first - back).milliseconds, "ms", .atMost(1_000))
        let rate = Double(arrivals.count - 1) / ((last - first).milliseconds / 1_000)
        report.add("then", rate.rounded(), "writes per second", .atLeast(200))
        return report
    }

    private func inversions(_ paths: [String]) -> Int {
        var last: [Substring: Int] = [:]
        return paths.count { path in
            let parts = path.split(separator: "/")
            let number = Int(parts.last ?? "") ?? 0
            defer { last[parts.first ?? ""] = number }
            return number < last[parts.first ?? ""] ?? 0
        }
    }

    private func link(_ state: String) throws {
        guard try ChildProgram.run(["ip", "-n", near, "link", "set", "wire0", state]).status == 0 else {
            throw Unexpected(message: "'ip link set wire0 \(state)' failed in \(near)")
        }
    }
}
