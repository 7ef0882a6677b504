import Foundation
import HTTPTypes
import Siding
import SidingChain
import SidingOrigin
import SidingSynchronization
import SidingTesting
import Testing

/// A line that is down costs no tries, and is used as soon as it is back.
///
/// Real links: the origin listens in one network namespace, `siding` runs in another, and a cable leads from one to the
/// other.
@Suite(
    .serialized, .enabled(if: NetworkNamespace.canBeMade, "\(NetworkNamespace.condition)"), .timeLimit(.minutes(15)))
struct QueueLineTests {
    private static let isProof = Proof.length == .long
    private static let writes = 1_000
    private static let lanes = 40
    /// A probe may go out once in this long.
    private static let probePace = Duration.seconds(30)
    /// How long the line stays down: for a full proof, over two probes more.
    private static let outage = isProof ? Duration.seconds(70) : .zero

    /// An origin at the other end of the cable, with a clock beside it.
    private struct FarOrigin {
        let origin: Origin
        let ledger: WriteLedger
        let times: Times

        final class Times: Sendable {
            private let state = Mutex<(first: ContinuousClock.Instant?, last: ContinuousClock.Instant?)>((nil, nil))
            func note() { state.withLock { $0 = ($0.first ?? .now, .now) } }
            var first: ContinuousClock.Instant? { state.withLock { $0.first } }
            var last: ContinuousClock.Instant? { state.withLock { $0.last } }
        }

        init(on cable: Cable) async throws {
            let (ledger, times) = (WriteLedger(seed: 1), Times())
            try cable.there.ip(batch: ["link set lo up", "addr add 10.99.0.2/24 dev wire1"])
            let socket = try await cable.there.enter { try ListeningSocket(at: "10.99.0.2") }
            origin = try await Origin.start(on: socket) { request in
                times.note()
                return await ledger.answer(request) ?? .notFound
            }
            (self.ledger, self.times) = (ledger, times)
        }
    }

    private func fill(_ sandbox: Sandbox, _ origin: Origin) async throws {
        let store = try await Store.open(at: sandbox.file("test.db"), durability: .normal)
        for number in 1...Self.writes {
            let lane = "l\(number % Self.lanes)"
            _ = try await store.enqueue(
                WriteRequest(
                    to: "van", .post, HTTPURL("\(origin.url.origin)/lanes/\(lane)/\(number)"), body: Array("{}".utf8),
                    lane: lane, idempotency: Idempotency()))
        }
        await store.close()
    }

    /// How often anything was tried, and what tries counted, up to now.
    private func tries(_ store: Store) async throws -> (claimed: Int, counted: Int) {
        var (claimed, counted) = (0, 0)
        for entry in try await store.entries(QueueSelection()) {
            claimed += try await store.history(of: entry.id).count { $0.event == "claimed" }
            counted += entry.attempts
        }
        return (claimed, counted)
    }

    @Test func `A thousand writes wait out a line that is down, and leave in order as soon as it is back`() async throws
    {
        let cable = try await Cable()
        try cable.plugIn()
        let far = try await FarOrigin(on: cable)
        let sandbox = try Sandbox()
        try sandbox.config(
            """
            version: 1
            database: { path: test.db }
            sources: { van: { base_url: \(far.origin.url.origin), http: { allow_plain_http: true } } }
            resources: { items: { path: /items, key: id } }
            """)
        try await fill(sandbox, far.origin)
        try cable.here.ip("link set wire0 down")

        let start = ContinuousClock.now
        let ip = try #require(NetworkNamespace.program)
        let back = Mutex<ContinuousClock.Instant?>(nil)
        let outcome = try await sandbox.run(
            ip, ["netns", "exec", cable.here.name, SidingBinary.path(), "queue", "run", "--watch"],
            limit: .seconds(800)
        ) { _ in
            let store = try await Store.open(at: sandbox.file("test.db"), access: .readOnly)
            while try await store.gates().map(\.reason) != [.offline] { await Task.yield() }
            try await Task.sleep(for: Self.outage)
            let (claimed, counted) = try await tries(store)
            #expect(counted == 0)
            #expect(claimed <= 1 + Int((ContinuousClock.now - start) / Self.probePace), "\(claimed) probes")
            await store.close()
            back.withLock { $0 = .now }
            try cable.here.ip("link set wire0 up")
        }
        #expect(outcome.status == 0, "\(outcome.error)")
        let page = far.ledger.entries
        #expect(page.effects.count == Self.writes)
        #expect(page.arrivals.count == Self.writes, "something was sent twice")
        #expect(page.inversions() == 0)

        let returned = try #require(back.withLock { $0 })
        let first = try #require(far.times.first) - returned
        let drained = try #require(far.times.last) - returned - first
        print("first send \(first) after the line's return, \(Self.writes) writes in \(drained)")
        // How fast is for a machine that does nothing else to say; `make bench-queue` asks more of a release build.
        if Self.isProof { #expect(first < .seconds(1)) }
        await far.origin.stop()
    }
}
