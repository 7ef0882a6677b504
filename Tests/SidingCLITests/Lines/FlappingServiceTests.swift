// SPDX-License-Identifier: Apache-2.0
import Foundation
import Siding
import SidingChain
import SidingOrigin
import SidingSynchronization
import SidingTesting
import Testing

/// A service with many resources and own writes over a line that flaps: `siding queue run --watch`, beside `siding
/// sync` as cron would run it.
@Suite(.serialized)
struct FlappingServiceTests {
    @Test func `a service loses and doubles nothing while the line flaps, and its memory stays flat`() async throws {
        let line = try await FlappingLine()
        // All resources are in the queue when the service starts.
        try #require(try await line.sandbox.siding("sync", "--offline").status == 75)
        let store = try await Store.open(at: line.sandbox.file("test.db"), durability: .normal)
        try await line.keepBusy(store)
        let peaks = Mutex<[Int]>([])
        let ended = try await line.sandbox.siding(
            ["queue", "run", "--watch"], limit: FlappingLine.span + .seconds(300)
        ) { service in
            try await line.flap(
                store, write: { number in try await line.write(number, store) },
                wrote: { number in
                    if number == FlappingLine.writes / 3 { peaks.withLock { $0.append(service.peakMemory) } }
                })
            peaks.withLock { $0.append(service.peakMemory) }
            service.send(SIGTERM)
        }
        #expect(ended.status == 143, "\(ended.everything.suffix(2_000))")
        try await line.expectAllThere(store)
        let memory = peaks.withLock { $0 }
        print(
            "peak memory of the service: \(memory[0]) KiB after a third of \(FlappingLine.span), \(memory[1]) KiB at the end"
        )
        #expect(memory[0] > 0 && Double(memory[1]) <= 1.2 * Double(memory[0]) + 8_192, "\(memory)")
        await store.close()
        await line.stop()
    }
}

extension Child {
    /// The most memory that it had at a time (`VmHWM`), in KiB; 0 if it has ended.
    var peakMemory: Int {
        let status = (try? String(contentsOfFile: "/proc/\(processID)/status", encoding: .utf8)) ?? ""
        return status.firstMatch(of: /VmHWM:\s+([0-9]+) kB/).flatMap { Int($0.1) } ?? 0
    }
}
