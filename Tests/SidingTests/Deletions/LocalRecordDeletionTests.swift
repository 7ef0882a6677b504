// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingJSON
import SidingTesting
import Testing

@testable import Siding

/// Missing records that a program or an own write made, or that pending edits change.
@Suite struct LocalRecordDeletionTests {
    @Test func `a record that a program saved stays until a page shows it and a later one does not`() async throws {
        let bench = try await EngineBench.listed(isStable: true)
        let bytes = Array(#"[{"id":77}]"#.utf8)
        let slices = try bytes.withUnsafeBytes { page in
            try PageReader(records: nil, key: [JSONPath(member: "id")]).read(page).records
        }
        _ = try await bench.store.apply(
            RecordChanges(
                resource: "posts", source: "blog", definition: ResourceDefinition(bench.resource), bytes: bytes,
                rows: slices.map { .init(slice: $0, expectation: .anything) }))
        bench.list("[1]")
        #expect(try await bench.sync().result.counters.deleted == 1)
        #expect(try await bench.sync().result.counters.deleted == 0)
        #expect(try await bench.keys() == ["1", "3", "4", "5", "77"])
        bench.list("[1,77]")
        #expect(try await bench.sync().result.counters.deleted == 0)
        bench.list("[1]")
        #expect(try await bench.sync().result.counters.deleted == 1)
        #expect(try await bench.keys() == ["1", "3", "4", "5"])
    }

    @Test(arguments: [true, false])
    func `an own create stays until a page shows it and a later one does not, or until it misses two listings`(
        isShown: Bool
    ) async throws {
        let bench = try await EngineBench.listed(isStable: true)
        let store = bench.store
        _ = try await store.enqueue(
            WriteRequest(
                to: "blog", .post, try HTTPURL("https://api.example.org/posts"), body: Array(#"{"id":6}"#.utf8)
            )
            .with(\.edit, WriteEdit(.create, of: bench.resource)))
        let write = try #require(try await store.claim(ClaimRequest(sources: ["blog": 9], passesGates: true)))
        _ = try await store.recordResult(write, WriteResult(.answered(#"{"id":6}"#, status: 201), .nothing))
        bench.time.advance(by: .seconds(60))
        #expect(try await bench.sync().result.counters.deleted == 0)
        #expect(try await bench.keys() == ["1", "2", "3", "4", "5", "6"])
        bench.list(isShown ? "[1,2,6]" : "[1,2]")
        #expect(try await bench.sync().result.counters.deleted == (isShown ? 0 : 1))
        bench.list("[1,2]")
        #expect(try await bench.sync().result.counters.deleted == (isShown ? 1 : 0))
        #expect(try await bench.keys() == ["1", "2", "3", "4", "5"])
    }

    @Test func `a record whose own delete was dropped is missing like any other`() async throws {
        let bench = try await EngineBench.listed(isStable: true)
        let entry = try await bench.store.enqueue(
            WriteRequest(to: "blog", .delete, try HTTPURL("https://api.example.org/posts/2"))
                .with(\.edit, WriteEdit(.delete, of: bench.resource, key: "2")))
        bench.list("[1]")
        #expect(try await bench.sync().result.counters.deleted == 0)
        _ = try await bench.store.perform(.drop, on: QueueSelection(ids: [entry.id]))
        #expect(try await bench.keys() == ["1", "2", "3", "4", "5"])
        bench.time.advance(by: .seconds(60))
        #expect(try await bench.sync().result.counters.deleted == 0)
        #expect(try await bench.sync().result.counters.deleted == 1)
        #expect(try await bench.keys() == ["1", "3", "4", "5"])
    }

    @Test func `a record written after the listing began is not missing from it`() async throws {
        let bench = try await EngineBench.listed(isStable: true)
        bench.list("[1,2]")
        bench.origin.set("/posts?page=2", .failure(Failure(.connectionLost, phase: .maybeSent)))
        #expect(try await bench.sync().result.outcome == .queued)
        bench.time.advance(by: .seconds(60))
        // 6 is in no page that this listing still asks for.
        bench.origin.set("/posts", ScriptedOrigin.page("[6]"))
        #expect(try await bench.sync(SyncOptions(limit: 1)).result.counters.inserted == 1)
        bench.list("[1,2,6]")
        for _ in 0..<3 { #expect(try await bench.sync().result.counters.deleted == 0) }
        #expect(try await bench.keys() == ["1", "2", "3", "4", "5", "6"])
    }

    @Test func `a record with edits stays until they are completed`() async throws {
        let bench = try await EngineBench.listed(isStable: true)
        let store = bench.store
        let edit = WriteEdit(.merge, of: bench.resource, key: "2")
        let entry = try await store.enqueue(
            WriteRequest(
                to: "blog", .patch, try HTTPURL("https://api.example.org/posts/2"), body: Array(#"{"x":1}"#.utf8)
            )
            .with(\.edit, edit))
        bench.list("[1]")
        for _ in 0..<2 { #expect(try await bench.sync().result.counters.deleted == 0) }
        _ = try await store.perform(.drop, on: QueueSelection(ids: [entry.id]))
        #expect(try await bench.sync().result.counters.deleted == 1)
        #expect(try await bench.tombstones() == ["2"])
    }
}
