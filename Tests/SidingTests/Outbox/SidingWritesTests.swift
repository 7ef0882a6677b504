import HTTPTypes
import SidingChain
import SidingTesting
import Testing

@testable import Siding

/// Writes from inside a program.
@Suite struct SidingWritesTests {
    private struct Draft: Encodable {
        var title: String
    }

    private func siding(_ bench: WriteBench) async throws -> Siding {
        try await Siding(
            store: .store(bench.store), resources: [], sources: bench.sources, transports: bench.origin,
            environment: Environment(connectivity: bench.connectivity, wallClock: bench.time.clock))
    }

    @Test func `a write is kept and sent, and its entry says what came of it`() async throws {
        let bench = try await WriteBench()
        bench.origin.set("/issues", .text(#"{"id":1}"#, status: .created))
        let write = try WriteRequest.json(.post, "/issues", Draft(title: "new"), to: bench.sources[0])
        #expect(write.body == Array(#"{"title":"new"}"#.utf8))
        let entry = try await siding(bench).send(write)
        #expect(entry.state == .done)
        #expect(bench.origin.takeRequests().first?.headerFields[.contentType] == "application/json")
    }

    @Test func `without a way out a write is kept and not tried, and sent once there is one`() async throws {
        let bench = try await WriteBench()
        bench.origin.set("/issues", .status(.created))
        bench.connectivity.set(hasUsableRoute: false)
        let siding = try await siding(bench)
        let entry = try await siding.send(try .json(.post, "/issues", Draft(title: "new"), to: bench.sources[0]))
        #expect(entry.state == .queued && entry.attempts == 0)
        #expect(bench.origin.takeTargets() == [])
        bench.connectivity.set(hasUsableRoute: true)
        #expect(try await siding.drain().map(\.id) == [entry.id])
        #expect(try await bench.entry(entry.id).state == .done)
    }
}
