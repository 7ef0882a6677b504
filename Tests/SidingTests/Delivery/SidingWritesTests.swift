// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingCredentials
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
            environment: RuntimeEnvironment(connectivity: bench.connectivity, wallClock: bench.time.clock))
    }

    @Test func `a write is kept and sent, and its entry has the result`() async throws {
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

    @Test func `a write to another origin, or to an unknown source, is refused before it is stored`() async throws {
        let bench = try await WriteBench()
        let siding = try await siding(bench)
        let source = bench.sources[0]
        let elsewhere = [
            "https://elsewhere.example/issues", "http://\(source.baseURL.host)/issues",
            "\(source.baseURL.scheme)://\(source.baseURL.host):9/issues",
        ]
        for url in try elsewhere.map({ try HTTPURL($0) }) where url.origin != source.baseURL.origin {
            let error = try await #require(throws: StoreError.self) {
                try await siding.send(WriteRequest(to: source.name, .post, url))
            }
            #expect(error.kind == .invalidWrite && error.message.contains(url.origin), "\(error)")
        }
        let error = try await #require(throws: StoreError.self) {
            try await siding.send(WriteRequest(to: "unknown", .post, source.baseURL))
        }
        #expect(error.kind == .invalidWrite && error.message.contains("no source is named 'unknown'"))
        #expect(try await bench.store.entries(QueueSelection()) == [])
        #expect(bench.origin.takeTargets() == [])
    }

    @Test func `a write whose source has moved meanwhile is parked, and the credential stays at home`() async throws {
        let bench = try await WriteBench()
        bench.connectivity.set(hasUsableRoute: false)
        let source = bench.sources[0]
        let entry = try await siding(bench).send(try .json(.post, "/issues", Draft(title: "new"), to: source))
        bench.connectivity.set(hasUsableRoute: true)
        var moved = source
        moved.baseURL = try HTTPURL("https://moved.example")
        moved.authorization = .bearer { "token" }
        let siding = try await Siding(
            store: .store(bench.store), resources: [], sources: [moved], transports: bench.origin,
            environment: RuntimeEnvironment(connectivity: bench.connectivity, wallClock: bench.time.clock))
        try await siding.drain()
        let parked = try await bench.entry(entry.id)
        #expect(parked.state == .parked && parked.reason == .invalid, "\(parked)")
        #expect(parked.lastError?.message.contains("is sent nowhere else") == true)
        #expect(bench.origin.takeRequests().isEmpty)
    }
}
