import HTTPTypes
import SidingChain
import Testing

@testable import Siding
@testable import SidingTesting

@Suite struct WriteReplacingTests {
    @Test func `an edited entry has a new id and key at the old one's place in the lane`() async throws {
        let bench = try await EditBench()
        let first = try await bench.send(.post, "/posts", "[1]", lane: "a")
        let second = try await bench.send(.post, "/posts", "[2]", lane: "a")
        let third = try await bench.send(.post, "/posts", "[3]", lane: "a")
        let edited = try await bench.store.replace(second.id, with: WriteChange(body: Array("[4]".utf8)))
        #expect(edited.id != second.id)
        #expect(edited.createdAt == second.createdAt)
        var sent: [String] = []
        var keys: Set<String> = []
        while let write = try await bench.claim() {
            sent.append(write.entry.id)
            keys.insert(write.key)
            if write.entry.id == edited.id { #expect(write.text == "[4]") }
            try await bench.settle(write, .answered(""))
        }
        #expect(sent == [first.id, edited.id, third.id])
        #expect(keys.count == 3)
        try await bench.expectSound()
    }

    @Test func `the old entry is dropped and both histories tell of the other`() async throws {
        let bench = try await EditBench()
        let old = try await bench.send()
        let new = try await bench.store.replace(old.id, with: WriteChange(body: [0x31]))
        #expect(try await bench.entry(old.id).state == .dropped)
        #expect(try await bench.events(old) == ["accepted", "replaced"])
        #expect(try await bench.store.history(of: new.id).first?.detail == "in the place of \(old.shortID)")
        let link = try await bench.sqlite.rows("SELECT replaces FROM siding_outbox WHERE id = '\(new.id)'")
        #expect(link == [[old.id]])
    }

    @Test func `the head of a lane stays its head, and nothing behind it gets ahead`() async throws {
        let bench = try await EditBench()
        let first = try await bench.send(lane: "a")
        try await bench.send(lane: "a")
        let edited = try await bench.store.replace(first.id, with: WriteChange(body: [0x31]))
        #expect(edited.isHead)
        #expect(try await bench.claim()?.entry.id == edited.id)
        #expect(try await bench.claim() == nil)
        try await bench.expectSound()
    }

    @Test func `what waited for the old entry waits for the new one`() async throws {
        let bench = try await EditBench()
        let parent = try await bench.send()
        let child = try await bench.send(after: [parent.id])
        let edited = try await bench.store.replace(parent.id, with: WriteChange(body: [0x31]))
        #expect(try await bench.entry(child.id).state == .queued)
        #expect(try await bench.entry(child.id).waitsOn == 1)
        try await bench.deliver(edited)
        #expect(try await bench.entry(child.id).waitsOn == 0)
    }

    @Test func `the new entry waits for what the old one waited for`() async throws {
        let bench = try await EditBench()
        let parent = try await bench.send()
        let child = try await bench.send(after: [parent.id])
        let edited = try await bench.store.replace(child.id, with: WriteChange(body: [0x31]))
        #expect(edited.waitsOn == 1)
        #expect(try await bench.claim(edited.id) == nil)
        try await bench.deliver(parent)
        #expect(try await bench.claim(edited.id) != nil)
    }

    @Test func `what was parked may be held after an edit, until it is released`() async throws {
        let bench = try await EditBench()
        let entry = try await bench.send(.post, "/posts", "bad")
        let parked = try await bench.settle(entry, .parked(.rejected))
        let edited = try await bench.store.replace(
            parked.id, with: WriteChange(body: Array("good".utf8), releases: false))
        #expect(edited.state == .parked)
        #expect(edited.reason == .held)
        #expect(edited.attempts == 0)
        _ = try await bench.store.perform(.release, on: QueueSelection(ids: [edited.id]))
        #expect(try await bench.claim()?.text == "good")
    }

    @Test func `what was not parked is held after an edit as well, where that is asked for`() async throws {
        let bench = try await EditBench()
        let entry = try await bench.send(.post, "/posts", "[1]")
        let change = WriteChange(body: Array("[2]".utf8), releases: false)
        #expect(try await bench.store.replace(entry.id, with: change).reason == .held)
        #expect(try await bench.claim() == nil)
    }

    @Test func `an edit of what was parked is sent`() async throws {
        let bench = try await EditBench()
        let parked = try await bench.settle(try await bench.send(), .parked(.rejected))
        let edited = try await bench.store.replace(parked.id, with: WriteChange(body: [0x31]))
        #expect(edited.state == .queued)
    }

    @Test func `what is being sent cannot be changed`() async throws {
        let bench = try await EditBench()
        let entry = try await bench.send()
        _ = try await bench.claim(entry.id)
        let kind = try await storeErrorKind {
            _ = try await bench.store.replace(entry.id, with: WriteChange(body: [0x31]))
        }
        #expect(kind == .invalidWrite)
        #expect(try await bench.entry(entry.id).state == .sending)
    }

    /// An entry that may have arrived before its sender died.
    private func leftBehind(_ bench: EditBench) async throws -> QueueEntry {
        let entry = try await bench.send(.post, "/posts", "[1]")
        let dead = try await Store.open(at: bench.store.path, clock: bench.time.clock)
        let write = try #require(try await dead.claim(ClaimRequest(sources: ["blog": 9], entry: entry.id)))
        try await dead.markSent(write)
        await dead.close()
        return entry
    }

    @Test func `what a dead sender may have sent is not changed by who cannot know that`() async throws {
        let bench = try await EditBench()
        let entry = try await leftBehind(bench)
        let change = WriteChange(body: Array("[2]".utf8))
        await #expect {
            _ = try await bench.store.replace(entry.id, with: change)
        } throws: { error in
            (error as? StoreError)?.message.contains("may have arrived: it is parked now (uncertain)") == true
        }
        #expect(try await bench.entry(entry.id).reason == .uncertain)
        // Now it is known, and a person may say what they like.
        #expect(try await bench.store.replace(entry.id, with: change).state == .queued)
    }

    @Test func `what a dead sender may have sent is not resolved by who cannot know that`() async throws {
        let bench = try await EditBench()
        let entry = try await leftBehind(bench)
        #expect(try await storeErrorKind { _ = try await bench.store.resolve(entry.id, as: .mine) } == .invalidWrite)
        #expect(try await bench.entry(entry.id).reason == .uncertain)
    }

    @Test func `what is settled cannot be changed`() async throws {
        let bench = try await EditBench()
        let entry = try await bench.deliver(try await bench.send())
        let kind = try await storeErrorKind {
            _ = try await bench.store.replace(entry.id, with: WriteChange(body: [0x31]))
        }
        #expect(kind == .invalidWrite)
    }

    @Test func `a fetch cannot be changed`() async throws {
        let bench = try await EditBench()
        _ = try await bench.sqlite.bench.open()
        let fetch = try await bench.sqlite.bench.retain()
        let kind = try await storeErrorKind { _ = try await bench.store.replace(fetch.id, with: WriteChange()) }
        #expect(kind == .invalidWrite)
    }

    @Test func `new header fields are checked for credentials as at the beginning`() async throws {
        let bench = try await EditBench()
        let entry = try await bench.send()
        let kind = try await storeErrorKind {
            let change = WriteChange(headerFields: [.authorization: "Bearer canary"])
            _ = try await bench.store.replace(entry.id, with: change)
        }
        #expect(kind == .invalidWrite)
        #expect(try await bench.waiting().map(\.id) == [entry.id])
    }

    @Test func `an edit of the fields leaves the body alone`() async throws {
        let bench = try await EditBench()
        let entry = try await bench.send(.post, "/posts", "[1]", fields: [.ifMatch: "\"1\""])
        let edited = try await bench.store.replace(entry.id, with: WriteChange(headerFields: [.ifMatch: "\"2\""]))
        let write = try #require(try await bench.claim(edited.id))
        #expect(write.text == "[1]")
        #expect(write.headerFields[.ifMatch] == "\"2\"")
    }
}
