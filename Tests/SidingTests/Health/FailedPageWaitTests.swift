// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingTesting
import Testing

@testable import Siding

/// How long a page that failed waits beside the gate of its source.
@Suite struct FailedPageWaitTests {
    /// The next sync's page fails with 502, and is retained.
    private func failed(_ bench: EngineBench, _ answer: ScriptedAnswer = .status(.badGateway)) async throws
        -> QueueEntry
    {
        bench.origin.set("/posts", answer)
        return try await bench.entry(try await bench.sync().result.entry)
    }

    private func wait(of entry: QueueEntry, _ bench: EngineBench) -> Duration { entry.nextAttemptAt - bench.time.now }

    @Test(arguments: [ScriptedAnswer.status(.badGateway), .failure(Failure(.connectionLost, phase: .maybeSent))])
    func `it waits until a gate that failures closed opens, or another request is answered`(
        _ answer: ScriptedAnswer
    ) async throws {
        let bench = try await EngineBench()
        for _ in 0..<5 { try await bench.store.record(.failed, of: "blog") }
        let entry = try await failed(bench, answer)
        let until = try #require(try await bench.store.gates().first?.until)
        #expect(entry.nextAttemptAt == until)
        #expect(wait(of: entry, bench) >= RetryRules.breakerBackoff.base)
        try await bench.store.record(.answers, of: "blog")
        #expect(try await bench.entry(entry.id).nextAttemptAt == bench.time.now)
    }

    @Test func `it waits no longer than the longest wait of its source`() async throws {
        var bench = try await EngineBench()
        bench.resource.source.retry = RetryPolicy(
            retries: 0, backoff: Backoff(base: .seconds(2), cap: .seconds(5)))
        for _ in 0..<5 { try await bench.store.record(.failed, of: "blog") }
        #expect(wait(of: try await failed(bench), bench) == .seconds(5))
    }

    @Test func `refused writes do not make it wait`() async throws {
        let bench = try await EngineBench()
        for _ in 0..<5 { try await bench.store.record(.refused("403 no"), of: "blog") }
        #expect(try await bench.store.gates().map(\.reason) == [.breaker])
        #expect(wait(of: try await failed(bench), bench) == .seconds(2))
    }

    @Test func `a page of which a part has come does not wait for the gate`() async throws {
        let bench = try await EngineBench()
        for _ in 0..<5 { try await bench.store.record(.failed, of: "blog") }
        let fields: HTTPFields = [.contentType: "application/json", .eTag: #""a""#, .acceptRanges: "bytes"]
        let entry = try await failed(
            bench,
            .reply(
                HTTPResponse(status: .ok, headerFields: fields),
                chunks: [Array(repeating: UInt8(ascii: " "), count: 8_000)],
                ending: Failure(.truncated, phase: .answered)))
        #expect(wait(of: entry, bench) == .seconds(2))
    }

    @Test func `each page of a long listing may fail once, as pages were answered in between`() async throws {
        let bench = try await EngineBench()
        func target(_ page: Int) -> String { page == 1 ? "/posts" : "/posts?page=\(page)" }
        for page in 1...20 {
            if page > 1 {
                bench.origin.set(
                    target(page - 1), ScriptedOrigin.page("[\(page)]", next: target(page), etag: "\"\(page)\""))
            }
            bench.origin.set(target(page), .status(.badGateway))
            let entry = try await bench.entry(try await bench.sync().result.entry)
            #expect(wait(of: entry, bench) == .seconds(2), "page \(page)")
            bench.time.advance(by: .seconds(2))
        }
    }
}
