// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Siding
import SidingChain

/// A hundred thousand writes in fifty thousand lanes.
struct Scale {
    let siding: String
    private static let writes = 100_000
    private static let claims = 2_000
    private static let runs = 20

    static func write(number: Int, lanes: Int, bytes: Int = 2) throws -> WriteRequest {
        WriteRequest(
            to: "van", .post, try HTTPURL("http://10.99.0.2:8080/orders"),
            body: bytes == 2 ? Array("{}".utf8) : Array("\"\(String(repeating: "x", count: bytes))\"".utf8),
            idempotency: Idempotency()
        )
        .with(\.lane, lanes == 1 ? nil : "lane \(number % lanes)")
    }

    func measure() async throws -> Report {
        let place = try Workplace(origin: "http://10.99.0.2:8080")
        var report = Report("\(Self.writes) writes in \(Self.writes / 2) lanes")
        let store = try await Store.open(at: place.database, durability: .normal)
        let clock = ContinuousClock()
        var accepted: [Duration] = []
        for number in 0..<Self.writes {
            let write = try Self.write(number: number, lanes: Self.writes / 2)
            accepted.append(try await clock.measure { _ = try await store.enqueue(write) })
        }
        report.add("accept, without fsync: p99", accepted, at: 0.99)
        let (claims, results) = try await deliver(store)
        report.add("claim, without fsync: median", claims, at: 0.5)
        report.add("claim, without fsync: p99", claims, .atMost(5), at: 0.99)
        report.add("record a result, without fsync: median", results, at: 0.5)
        report.add("record a result, without fsync: p99", results, .atMost(5), at: 0.99)
        await store.close()
        try look(["queue", "list", "--limit", "1000"], "queue list, as a terminal gets it", place, &report, bar: 200)
        try look(["status"], "status", place, &report, bar: 200)
        try look(["queue", "list"], "queue list, all of it into a pipe", place, &report, bar: nil)
        return report
    }

    private func deliver(_ store: Store) async throws -> (claims: [Duration], results: [Duration]) {
        let clock = ContinuousClock()
        let request = ClaimRequest(sources: ["van": 4])
        let answer = WriteAnswer(status: 201, contentType: nil, body: [])
        var (claims, results): ([Duration], [Duration]) = ([], [])
        for _ in 0..<Self.claims {
            var claimed: ClaimedWrite?
            claims.append(try await clock.measure { claimed = try await store.claim(request) })
            guard let write = claimed else { throw Unexpected(message: "nothing was claimed") }
            results.append(
                try await clock.measure {
                    _ = try await store.recordResult(write, WriteResult(.delivered(answer), .answers), claiming: nil)
                })
        }
        return (claims, results)
    }

    private func look(
        _ command: [String], _ name: String, _ place: Workplace, _ report: inout Report, bar: Double?
    ) throws {
        let count = bar == nil ? 3 : Self.runs
        let runs = try (0..<count).map { _ in try ChildProgram.run([siding] + command + place.options) }
        guard runs.allSatisfy({ $0.status == 0 && $0.bytes > 0 }) else {
            throw Unexpected(message: "'siding \(command.joined(separator: " "))' failed")
        }
        report.add("\(name), minimum of \(count)", runs.map(\.end), bar.map { .atMost($0) }, at: 0)
    }
}
