// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingJSON
import Testing

@testable import Siding
@testable import SidingTesting

/// What a person says of a write that may have arrived.
@Suite struct ArrivalTests {
    private func uncertain(_ bench: EditBench, _ entry: QueueEntry) async throws {
        #expect(try await bench.recordResult(entry, .parked(.uncertain, status: 500)).reason == .uncertain)
    }

    @Test(arguments: [false, true])
    func `a created record that a page has brought already stays as the page had it`(isEdited: Bool) async throws {
        let bench = try await EditBench()
        let create = try await bench.edit(.create, nil, #"{"title":"mine"}"#)
        try await uncertain(bench, create)
        try await bench.pull(#"[{"id":"p1","title":"mine","made":"today"}]"#)
        if isEdited { try await bench.edit(.merge, "p1", #"{"votes":1}"#) }
        #expect(try await bench.store.resolve(create.id, as: .arrived(id: "p1")).state == .done)
        let votes = isEdited ? #","votes":1"# : ""
        #expect(try await bench.shown("p1") == #"{"id":"p1","title":"mine","made":"today"\#(votes)}"#)
        try await bench.expectSound()
    }

    @Test func `a created record that an own write has deleted since stays deleted`() async throws {
        let bench = try await EditBench()
        let create = try await bench.edit(.create, nil, #"{"title":"mine"}"#)
        let write = try #require(try await bench.claim(create.id))
        try await bench.store.markSent(write)
        try await bench.recordResult(write, .parked(.uncertain, status: 500))
        try await bench.pull(#"[{"id":"p1","title":"mine"}]"#)
        try await bench.deliver(try await bench.edit(.delete, "p1"), status: 204)
        #expect(try await bench.store.resolve(create.id, as: .arrived(id: "p1")).state == .done)
        #expect(try await bench.shown("p1") == nil)
        try await bench.expectSound()
    }

    @Test func `an id that the origin gives again is that of a new record`() async throws {
        let bench = try await EditBench()
        try await bench.pull(#"[{"id":"p1","title":"old"}]"#)
        try await bench.deliver(try await bench.edit(.delete, "p1"), status: 204)
        bench.time.advance(by: .seconds(1))
        let create = try await bench.edit(.create, nil, #"{"title":"new"}"#)
        try await bench.deliver(create, #"{"id":"p1","title":"new"}"#, status: 201)
        #expect(try await bench.shown("p1") == #"{"id":"p1","title":"new"}"#)
        try await bench.expectSound()
    }

    @Test func `a create that has arrived gives what names it the real id`() async throws {
        let bench = try await EditBench()
        try await bench.pull(#"[{"id":"a","title":"old"}]"#)
        let create = try await bench.edit(.create, nil, #"{"title":"new"}"#)
        let temporary = try #require(create.recordKey)
        let update = try await bench.send(.patch, "/posts/\(temporary)", #"{"title":"newer"}"#)
        try await uncertain(bench, create)
        let completed = try await bench.store.resolve(create.id, as: .arrived(id: "b"))
        #expect(completed.state == .done)
        #expect(try await bench.entry(update.id).url.hasSuffix("/posts/b"))
        #expect(try await bench.claim()?.entry.id == update.id)
        #expect(try await bench.shown("b") == #"{"title":"new","id":"b"}"#)
        #expect(try await bench.shown(temporary) == nil)
        try await bench.expectSound()
    }

    @Test func `an integer key takes no other id`() async throws {
        let bench = try await EditBench()
        try await bench.pull(#"[{"id":1}]"#)
        let create = try await bench.edit(.create, nil, #"{"title":"new"}"#)
        try await uncertain(bench, create)
        for id in ["b", "", "\"7\"", "{}"] {
            let kind = try await storeErrorKind { _ = try await bench.store.resolve(create.id, as: .arrived(id: id)) }
            #expect(kind == .invalidWrite, "\(id)")
        }
        _ = try await bench.store.resolve(create.id, as: .arrived(id: "7"))
        #expect(try await bench.shown("7") != nil)
    }

    @Test func `an empty text is not an id, and the write stays uncertain`() async throws {
        let bench = try await EditBench()
        try await bench.pull(#"[{"id":"a"}]"#)
        let create = try await bench.edit(.create, nil, #"{"title":"new"}"#)
        try await uncertain(bench, create)
        for id in ["", ".", ".."] {
            let kind = try await storeErrorKind { _ = try await bench.store.resolve(create.id, as: .arrived(id: id)) }
            #expect(kind == .invalidWrite, "\(id)")
        }
        #expect(try await bench.entry(create.id).reason == .uncertain)
    }

    @Test func `a write that is not an edit is completed, and its dependents continue`() async throws {
        let bench = try await EditBench()
        let first = try await bench.send()
        let second = try await bench.send(after: [first.id])
        try await uncertain(bench, first)
        #expect(try await bench.store.resolve(first.id, as: .arrived(id: nil)).state == .done)
        #expect(try await bench.claim()?.entry.id == second.id)
        let last = try await bench.store.history(of: first.id).last
        #expect(last?.detail == "an operator says that the origin has it")
    }

    @Test func `a write that cannot have arrived unseen is not resolved as arrived`() async throws {
        let bench = try await EditBench()
        let entry = try await bench.send()
        #expect(
            try await storeErrorKind { _ = try await bench.store.resolve(entry.id, as: .arrived(id: nil)) }
                == .invalidWrite)
        #expect(try await bench.entry(entry.id).state == .queued)
    }

    @Test(arguments: [ConflictResolution.mine, .theirs, .merge(Array("{}".utf8))])
    func `a write without a conflict is not resolved as one`(resolution: ConflictResolution) async throws {
        let bench = try await EditBench()
        let queued = try await bench.send()
        let parked = try await bench.send()
        try await uncertain(bench, parked)
        for entry in [queued, parked] {
            let kind = try await storeErrorKind { _ = try await bench.store.resolve(entry.id, as: resolution) }
            #expect(kind == .invalidWrite)
        }
        #expect(try await bench.entry(queued.id).state == .queued)
        #expect(try await bench.entry(parked.id).reason == .uncertain)
    }

    @Test(arguments: [QueueAction.release, .retry])
    func `an id that only the queue knows is never sent`(action: QueueAction) async throws {
        let bench = try await EditBench()
        let create = try await bench.edit(.create, nil, #"{"title":"new"}"#)
        let temporary = try #require(create.recordKey)
        let update = try await bench.send(.patch, "/posts/\(temporary)", "{}")
        let other = try await bench.send(.post, "/notes", #"{"about":"\#(temporary)"}"#)
        try await bench.drop(create)
        for entry in [update, other] {
            let change = try await bench.store.perform(action, on: QueueSelection(ids: [entry.id])).first
            #expect(change?.refusal == "it names \(temporary), which has no real id")
        }
        let fields = WriteChange(headerFields: [.accept: "a"])
        for isPurged in [false, true] {
            if isPurged { try await bench.sqlite.execute("DELETE FROM siding_outbox WHERE id = '\(create.id)'") }
            for entry in [update, other] {
                let one = QueueSelection(ids: [entry.id])
                for decision in [OperatorAction.act(action), .replace(fields)] {
                    for isRehearsal in [true, false] {
                        let change = try await bench.store.carryOut(decision, on: one, isRehearsal: isRehearsal).first
                        #expect(change?.refusal == "it names \(temporary), which has no real id", "\(isPurged)")
                    }
                }
            }
        }
        #expect(try await bench.claim() == nil)
        let edited = try await bench.store.replace(other.id, with: WriteChange(body: Array("{}".utf8)))
        #expect(try await bench.claim()?.entry.id == edited.id)
    }
}
