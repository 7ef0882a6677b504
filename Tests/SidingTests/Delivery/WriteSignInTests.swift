// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingCredentials
import SidingSQLite
import SidingSynchronization
import SidingTesting
import Testing

@testable import Siding

/// When writes that wait for a sign-in are tried again.
@Suite(.timeLimit(.minutes(5))) struct WriteSignInTests {
    @Test func `a write that waits for a sign-in is sent once the credentials have changed, and not before`()
        async throws
    {
        var bench = try await WriteBench(concurrency: 1)
        let token = Mutex("old")
        bench.sources[0].authorization = .bearer(Secret("test") { token.withLock { $0 } })
        bench.origin.set("/a", .status(.unauthorized))
        let entries = [try await bench.enqueue("/a"), try await bench.enqueue("/a")]
        let sender = bench.sender()
        // All credentials are tried twice, as a refusal may answer a request with the ones before.
        for _ in 0..<5 { _ = try await sender.drain() }
        #expect(bench.origin.takeTargets().count == 2)
        #expect(try await bench.store.entries(QueueSelection(states: [.parked])).map(\.reason).contains(.signIn))
        token.withLock { $0 = "new" }
        bench.origin.set("/a", .status(.created))
        _ = try await sender.drain()
        for entry in entries { #expect(try await bench.entry(entry.id).state == .done) }
    }

    @Test func `new credentials are tried twice, as the first refusal may answer a request with the old ones`()
        async throws
    {
        var bench = try await WriteBench(concurrency: 1)
        let token = Mutex("old")
        bench.sources[0].authorization = .bearer(Secret("test") { token.withLock { $0 } })
        bench.origin.set("/a", .status(.unauthorized))
        let entry = try await bench.enqueue("/a")
        let sender = bench.sender()
        for _ in 0..<5 { _ = try await sender.drain() }
        token.withLock { $0 = "new" }
        bench.origin.set("/a", .status(.unauthorized), .status(.created))
        _ = try await sender.drain()
        #expect(try await bench.entry(entry.id).state == .parked)
        _ = try await sender.drain()
        #expect(try await bench.entry(entry.id).state == .done)
    }

    @Test func `a write that waits for a sign-in is sent by a new sender, at any state of the gate`() async throws {
        let bench = try await WriteBench()
        bench.origin.set("/a", .status(.unauthorized), .status(.created))
        let entry = try await bench.enqueue("/a")
        _ = try await bench.sender().drain()
        #expect(try await bench.store.outlook(of: []).wantingSignIn == ["api"])
        try await bench.store.openGate(ofSource: "api")
        #expect(try await bench.store.outlook(of: []).wantingSignIn == ["api"])
        #expect(try await bench.sender().drain().map(\.id) == [entry.id])
        #expect(try await bench.entry(entry.id).state == .done)
        #expect(try await bench.store.outlook(of: []).wantingSignIn == [])
    }

    @Test func `one write that is refused among many that are let in is not tried again and again`() async throws {
        let bench = try await WriteBench()
        bench.origin.set("/bad", .status(.unauthorized))
        bench.origin.set("/good", .status(.created))
        try await bench.enqueue("/bad")
        for _ in 0..<40 { try await bench.enqueue("/good") }
        let sender = bench.sender()
        func tries() -> Int { bench.origin.takeTargets().filter { $0 == "/bad" }.count }
        _ = try await sender.drain()
        #expect(tries() <= 2)
        // What the credentials of this sender are worth it has to find out, and once after that another write is let in.
        for most in [1, 1, 0, 0, 0] {
            _ = try await sender.drain()
            #expect(tries() <= most)
            try await bench.enqueue("/good")
            try await bench.store.openGate(ofSource: "api")
        }
        _ = try await sender.drain()
        #expect(try await bench.store.entries(QueueSelection()).map(\.reason) == [.signIn])
    }

    @Test func `whether a refused write was tried once more does not depend on its history`() async throws {
        let bench = try await WriteBench()
        let refused = try await bench.enqueue("/bad")
        try await bench.refuse(try #require(try await bench.claim()))
        func deliverAnother() async throws {
            try await bench.store.openGate(ofSource: "api")
            let other = try await bench.enqueue("/good")
            try await bench.deliver(try #require(try await bench.claim(entry: other.id)))
        }
        try await deliverAnother()
        try await bench.refuse(try #require(try await bench.claim(entry: refused.id)))
        try await bench.store.write { transaction in try transaction.execute("DELETE FROM siding_outbox_events") }
        try await deliverAnother()
        #expect(try await bench.entry(refused.id).state == .parked)
        _ = try await bench.store.perform(.release, on: QueueSelection(ids: [refused.id]))
        try await bench.refuse(try #require(try await bench.claim(entry: refused.id)))
        try await deliverAnother()
        #expect(try await bench.entry(refused.id).state == .queued)
    }
}
