// SPDX-License-Identifier: Apache-2.0
import SidingOrigin
import SidingSynchronization
import SidingTesting
import TestSupport
import Testing

/// The figure behind ``ManySourcesTests``, by the clock of the wall: how late the healthy ones of ten sources are.
@Suite(.enabled(if: Proof.length == .long, "ten minutes, alone on the machine"), .serialized)
struct ManySourcesFreshnessTests {
    @Test func `in ten minutes no healthy source is later than its maximum age and two seconds`() async throws {
        let end = Latch()
        let moments = Mutex<[String: [ContinuousClock.Instant]]>([:])
        let (service, sandbox) = try await ManySourcesTests.setUp(
            Tally(), resource: ", max_age: 10s",
            hangs: { try? await end.wait() },
            receives: { path in moments.withLock { $0[path, default: []].append(.now) } })
        try await ManySourcesTests.store(in: sandbox)
        let start = ContinuousClock.now
        let ended = try await sandbox.serve(limit: .seconds(900)) { _ in
            try await Task.sleep(for: .seconds(600))
            let status = try await sandbox.siding("status", "--json").object()["resources"]?.array ?? []
            let isFailing = status.map { $0["error"]?["name"] != nil }
            #expect(isFailing == ManySourcesTests.names.map { !ManySourcesTests.healthy.contains($0) })
            #expect(try await sandbox.siding("status", "--strict").status == 5)
        }
        let stop = ContinuousClock.now
        end.open()
        #expect(ended.status == 0, "\(ended.error)")
        for name in ManySourcesTests.healthy {
            let seen = moments.withLock { $0["/\(name)/items"] ?? [] }
            let gaps = zip([start] + seen, seen + [stop]).map { $1 - $0 }
            #expect(gaps.allSatisfy { $0 <= .seconds(12) }, "\(name): \(gaps)")
        }
        await service.origin.stop()
    }
}
