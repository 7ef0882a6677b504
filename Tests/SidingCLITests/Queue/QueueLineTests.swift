// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Siding
import SidingChain
import SidingOrigin
import SidingSynchronization
import SidingTesting
import Testing
import TestSupport

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
                if request.path == "/later" {
                    return OriginResponse.json("{}", status: .serviceUnavailable, headerFields: [.retryAfter: "3600"])
                }
                times.note()
                return await ledger.answer(request) ?? .notFound
            }
            (self.ledger, self.times) = (ledger, times)
        }
    }

    /// A sandbox whose origin is at the other end of the cable.
    private func sandbox(_ origin: Origin) throws -> Sandbox {
        let sandbox = try Sandbox()
        try sandbox.config(
            """
            version: 1
            database: { path: test.db }
            sources:
              van: &far { base_url: \(origin.url.origin), http: { allow_plain_http: true, idle_timeout: 2s } }
              slow: *far
            resources: { items: { source: van, path: /items, key: id } }
            """)
        return sandbox
    }

    private func write(_ number: Int, to origin: Origin, _ store: Store) async throws {
        let lane = "l\(number % Self.lanes)"
        _ = try await store.enqueue(
            WriteRequest(
                to: "van", .post, HTTPURL("\(origin.url.origin)/lanes/\(lane)/\(number)"), body: Array("{}".utf8),
                idempotency: Idempotency()
            )
            .with(\.lane, lane))
    }

    /// How often anything was tried, and what tries counted, up to now.
    private func tries(_ store: Store) async throws -> (claimed: Int, counted: Int) {
        var (claimed, counted) = (0, 0)
        for entry in try await store.entries(QueueSelection()) {
            claimed += try await store.history(of: entry.id).count { $0.event == .claimed }
            counted += entry.attempts
        }
        return (claimed, counted)
    }

    @Test func `a thousand writes wait out a line that is down, and leave in order as soon as it is back`() async throws
    {
        let cable = try await Cable()
        try cable.plugIn()
        let far = try await FarOrigin(on: cable)
        let sandbox = try sandbox(far.origin)
        let store = try await Store.open(at: sandbox.file("test.db"), durability: .normal)
        for number in 1...Self.writes { try await write(number, to: far.origin, store) }
        await store.close()
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

    /// How a line flaps.
    private enum Flap: CaseIterable {
        /// Down until that is known, then back.
        case known
        /// The same, but back for a moment before: what was begun then is lost.
        case blip
        /// Back while a request is still under way over it.
        case unnoticed

        /// TCP repeats a lost SYN after a second; a request that is lost on the way ends with `idle_timeout`.
        var longest: Duration { self == .known ? .seconds(1) : self == .blip ? .seconds(2) : .seconds(4) }
    }

    @Test func `a line that flaps is used within a second of each return`() async throws {
        let cable = try await Cable()
        try cable.plugIn()
        let far = try await FarOrigin(on: cable)
        let sandbox = try sandbox(far.origin)
        let store = try await Store.open(at: sandbox.file("test.db"), durability: .normal)
        @Sendable func gate(_ source: String) async throws -> SourceGate.Reason? {
            try await store.gates().first { $0.source == source }?.reason
        }
        @Sendable func isUnderWay() async throws -> Bool {
            try await !store.entries(QueueSelection(states: [.sending])).isEmpty
        }
        // With a write that waits for an hour the queue does not end.
        let later = try HTTPURL("\(far.origin.url.origin)/later")
        _ = try await store.enqueue(WriteRequest(to: "slow", .post, later, idempotency: Idempotency()))
        let ip = try #require(NetworkNamespace.program)
        let flaps = (0..<(Self.isProof ? 7 : 1)).flatMap { _ in Flap.allCases }
        let outcome = try await sandbox.run(
            ip, ["netns", "exec", cable.here.name, SidingBinary.path(), "queue", "run", "--watch"],
            limit: .seconds(800)
        ) { child in
            while try await gate("slow") == nil { await Task.yield() }
            for (number, flap) in flaps.enumerated() {
                try cable.here.ip("link set wire0 down")
                try await write(number + 1, to: far.origin, store)
                if flap == .unnoticed {
                    while try await !isUnderWay() { await Task.yield() }
                } else {
                    while try await gate("van") != .offline { await Task.yield() }
                }
                if flap == .blip {
                    try cable.here.ip("link set wire0 up")
                    try cable.here.ip("link set wire0 down")
                }
                let returned = ContinuousClock.now
                try cable.here.ip("link set wire0 up")
                while far.ledger.entries.effects.count <= number { await Task.yield() }
                let wait = (far.times.last ?? .now) - returned
                print("\(flap): used after \(wait)")
                #expect(wait < flap.longest * (Self.isProof ? 1 : 5), "\(flap)")
                while try await isUnderWay() { await Task.yield() }
                while try await gate("van") != nil { await Task.yield() }
            }
            child.send(SIGTERM)
        }
        #expect(outcome.status == 143, "\(outcome.error)")
        #expect(far.ledger.entries.effects.count == flaps.count)
        await store.close()
        await far.origin.stop()
    }
}
