// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingSQLite
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
            try await bench.recordResult(write, .answered(""))
        }
        #expect(sent == [first.id, edited.id, third.id])
        #expect(keys.count == 3)
        try await bench.expectSound()
    }

    @Test func `the old entry is dropped and both histories name the other`() async throws {
        let bench = try await EditBench()
        let old = try await bench.send()
        let new = try await bench.store.replace(old.id, with: WriteChange(body: [0x31]))
        #expect(try await bench.entry(old.id).state == .dropped)
        #expect(try await bench.events(old) == ["accepted", "replaced"])
        #expect(try await bench.store.history(of: new.id).first?.detail == "in the place of \(old.shortID)")
        let link = try await bench.sqlite.rows("SELECT replaces FROM siding_outbox_entries WHERE id = '\(new.id)'")
        #expect(link == [[old.id]])
    }

    @Test func `the cause of a drop names the replacement, not the history's prose`() async throws {
        let bench = try await EditBench()
        let old = try await bench.send()
        #expect(try await bench.store.dropCause(of: old) == nil)
        let new = try await bench.store.replace(old.id, with: WriteChange(body: [0x31]))
        try await bench.store.write {
            try $0.execute("UPDATE siding_outbox_events SET detail = 'in favour of another'")
        }
        #expect(try await bench.store.dropCause(of: bench.entry(old.id)) == .replaced(by: new.id))
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

    @Test func `dependents of the old entry wait for the new one`() async throws {
        let bench = try await EditBench()
        let parent = try await bench.send()
        let child = try await bench.send(after: [parent.id])
        let edited = try await bench.store.replace(parent.id, with: WriteChange(body: [0x31]))
        #expect(try await bench.entry(child.id).state == .queued)
        #expect(try await bench.entry(child.id).waitsOn == 1)
        try await bench.deliver(edited)
        #expect(try await bench.entry(child.id).waitsOn == 0)
    }

    @Test func `the new entry has the dependencies of the old one`() async throws {
        let bench = try await EditBench()
        let parent = try await bench.send()
        let child = try await bench.send(after: [parent.id])
        let edited = try await bench.store.replace(child.id, with: WriteChange(body: [0x31]))
        #expect(edited.waitsOn == 1)
        #expect(try await bench.claim(edited.id) == nil)
        try await bench.deliver(parent)
        #expect(try await bench.claim(edited.id) != nil)
    }

    @Test func `a parked entry may be held after an edit, until it is released`() async throws {
        let bench = try await EditBench()
        let entry = try await bench.send(.post, "/posts", "bad")
        let parked = try await bench.recordResult(entry, .parked(.rejected))
        let edited = try await bench.store.replace(
            parked.id, with: WriteChange(body: Array("good".utf8), releases: false))
        #expect(edited.state == .parked)
        #expect(edited.reason == .held)
        #expect(edited.attempts == 0)
        _ = try await bench.store.perform(.release, on: QueueSelection(ids: [edited.id]))
        #expect(try await bench.claim()?.text == "good")
    }

    @Test func `an entry that was not parked is held after an edit as well, on request`() async throws {
        let bench = try await EditBench()
        let entry = try await bench.send(.post, "/posts", "[1]")
        let change = WriteChange(body: Array("[2]".utf8), releases: false)
        #expect(try await bench.store.replace(entry.id, with: change).reason == .held)
        #expect(try await bench.claim() == nil)
    }

    @Test func `an edited parked entry is sent`() async throws {
        let bench = try await EditBench()
        let parked = try await bench.recordResult(try await bench.send(), .parked(.rejected))
        let edited = try await bench.store.replace(parked.id, with: WriteChange(body: [0x31]))
        #expect(edited.state == .queued)
    }

    @Test func `an entry that is being sent cannot be changed`() async throws {
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

    @Test func `a write that a dead sender may have sent is not changed before an operator knows that`() async throws {
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

    @Test func `a write that a dead sender may have sent is not resolved before an operator knows that`() async throws {
        let bench = try await EditBench()
        let entry = try await leftBehind(bench)
        #expect(try await storeErrorKind { _ = try await bench.store.resolve(entry.id, as: .mine) } == .invalidWrite)
        #expect(try await bench.entry(entry.id).reason == .uncertain)
    }

    @Test func `a completed entry cannot be changed`() async throws {
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

    // MARK: Entries that would wait for each other

    @Test func `an edit that names what waits for it is refused`() async throws {
        let bench = try await EditBench()
        let first = try await bench.edit(.create, nil, #"{"title":"a"}"#)
        let second = try await bench.edit(.create, nil, #"{"parent":"\#(try #require(first.recordKey))"}"#)
        let body = #"{"title":"a","parent":"\#(try #require(second.recordKey))"}"#
        await #expect {
            _ = try await bench.store.replace(first.id, with: WriteChange(body: Array(body.utf8)))
        } throws: { ($0 as? StoreError)?.message.hasPrefix("it would wait for itself") == true }
        #expect(try await bench.claim()?.entry.id == first.id)
        try await bench.expectSound()
    }

    @Test func `an edit that names a later entry of its lane is refused, at any distance`() async throws {
        let bench = try await EditBench()
        let first = try await bench.send(.post, "/notes", "{}", lane: "a")
        try await bench.send(lane: "a")
        let create = try await bench.edit(.create, nil, #"{"title":"a"}"#, lane: "a")
        let waiting = try await bench.edit(.create, nil, #"{"title":"b"}"#, after: [create.id])
        for named in [create, waiting] {
            let change = WriteChange(body: Array(#"["\#(try #require(named.recordKey))"]"#.utf8))
            let kind = try await storeErrorKind { _ = try await bench.store.replace(first.id, with: change) }
            #expect(kind == .invalidWrite)
        }
        let free = try await bench.edit(.create, nil, #"{"title":"c"}"#)
        let change = WriteChange(body: Array(#"["\#(try #require(free.recordKey))"]"#.utf8))
        #expect(try await bench.store.replace(first.id, with: change).waitsOn == 1)
        try await bench.expectSound()
    }

    @Test func `a check of the file names entries that wait for each other`() async throws {
        let bench = try await EditBench()
        let first = try await bench.send(lane: "a")
        let second = try await bench.send(lane: "a", after: [first.id])
        let other = try await bench.send()
        try await bench.expectSound()
        try await bench.sqlite.execute(
            "INSERT INTO siding_outbox_dependencies (entry, parent) VALUES ('\(first.id)', '\(second.id)')")
        let faults = try await bench.store.check()
        #expect(
            faults.count == 2 && faults.contains { $0.hasSuffix(first.id) }
                && faults.contains { $0.hasSuffix(second.id) })
        #expect(!faults.contains { $0.contains(other.id) })
    }

    // MARK: What may have arrived

    /// A write under an honoured key that was answered 500, and then parked.
    private func tried(_ bench: EditBench, parked reason: ParkReason) async throws -> QueueEntry {
        let entry = try await bench.store.enqueue(
            WriteRequest(
                to: "blog", .post, try EditBench.url("/orders"), body: Array("{}".utf8), idempotency: Idempotency()))
        let error = RecordedError(name: "http", message: "the origin said 500", status: 500, phase: "answered")
        try await bench.recordResult(entry, .retry(error, isCounted: true, waitsForNetwork: false) { _ in .zero })
        try await bench.sqlite.execute(
            "UPDATE siding_outbox SET state = 'parked', reason = '\(reason.rawValue)' WHERE id = '\(entry.id)'")
        return try await bench.entry(entry.id)
    }

    @Test(arguments: [ParkReason.expired, .poison])
    func `an entry that expired or killed its senders after it may have arrived is not replaced by a second write`(
        reason: ParkReason
    )
        async throws
    {
        let bench = try await EditBench()
        let entry = try await tried(bench, parked: reason)
        #expect(entry.mayHaveArrived)
        await #expect {
            _ = try await bench.store.replace(entry.id, with: WriteChange(body: [0x31]))
        } throws: { ($0 as? StoreError)?.message == "it may have arrived: an edit would be a second write" }
        #expect(try await bench.store.resolve(entry.id, as: .arrived(id: nil)).state == .done)
    }

    @Test func `an entry that cannot be sent may be edited, though it was tried`() async throws {
        let bench = try await EditBench()
        let entry = try await tried(bench, parked: .invalid)
        #expect(entry.mayHaveArrived)
        #expect(try await bench.store.replace(entry.id, with: WriteChange(body: [0x31])).state == .queued)
    }

    @Test func `an entry given up without an answer, after it was tried, may have arrived`() async throws {
        let bench = try await EditBench()
        let entry = try await tried(bench, parked: .rejected)
        try await bench.sqlite.execute(
            "UPDATE siding_outbox_requests SET error = json_remove(error, '$.status')")
        #expect(try await bench.entry(entry.id).mayHaveArrived)
    }

    @Test func `an entry that the origin refused after it was tried may be edited`() async throws {
        let bench = try await EditBench()
        let entry = try await tried(bench, parked: .rejected)
        #expect(!entry.mayHaveArrived)
        #expect(try await bench.store.replace(entry.id, with: WriteChange(body: [0x31])).state == .queued)
    }

    @Test func `a write that is done has no last error, after any resolution`() async throws {
        let bench = try await EditBench()
        let entry = try await bench.recordResult(try await bench.send(), .parked(.uncertain, status: 500))
        #expect(entry.lastError != nil)
        #expect(try await bench.store.resolve(entry.id, as: .arrived(id: nil)).lastError == nil)
    }
}
