// SPDX-License-Identifier: Apache-2.0
import Foundation
import SidingChain
import SidingOrigin
import SidingTesting
import Testing

@Suite(.serialized, .timeLimit(.minutes(5)))
struct EmbeddingTests {
    private let program = ExampleProgram(name: "EmbeddingExample")
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private static func posts() async throws -> Origin {
        let posts = Dataset(
            (1...5).map { Dataset.Record(key: String($0), json: #"{"id":\#($0),"title":"post \#($0)","userId":1}"#) })
        return try await Origin.start(routes: [RecordListing("/posts", of: posts, paging: .link, pageSize: 2)])
    }

    /// Runs the program until it serves, and asks it to stop.
    private func run(_ address: String) async throws -> ExampleProgram.Outcome {
        try await program.run(address, in: directory) { child in
            try await child.handles(SIGTERM)
            child.send(SIGTERM)
        }
    }

    @Test func `saves the posts, prints the newest, serves, and ends with 0 at a SIGTERM`() async throws {
        let origin = try await Self.posts()
        let outcome = try await run(origin.url.origin)
        #expect(outcome.status == 0, "\(outcome.error)")
        #expect(outcome.lines == ["saved 5 new, 0 changed", "post 5", "post 4", "post 3"])
        #expect(origin.requests.map(\.method) == ["GET", "GET", "GET"])
        await origin.stop()
    }

    @Test func `a second start has nothing new to save`() async throws {
        let origin = try await Self.posts()
        #expect(try await run(origin.url.origin).status == 0)
        let second = try await run(origin.url.origin)
        #expect(second.status == 0, "\(second.error)")
        #expect(second.lines == ["nothing new", "post 5", "post 4", "post 3"])
        await origin.stop()
    }

    @Test func `with the line down the page is kept for later, and the copy answers`() async throws {
        let origin = try await Self.posts()
        #expect(try await run(origin.url.origin).status == 0)
        await origin.stop()
        let second = try await run(origin.url.origin)
        #expect(second.status == 0, "\(second.error)")
        #expect(try #require(second.lines.first).hasPrefix("kept for later: can't connect to host"))
        #expect(second.lines.dropFirst() == ["post 5", "post 4", "post 3"])
    }

    @Test func `the service asks again for the page that was kept`() async throws {
        let origin = try await Self.posts()
        // As many as the sync makes with its inline tries; the next is the service's.
        origin.inject(.status(503, retryAfter: "0"), times: 3)
        let outcome = try await program.run(origin.url.origin, in: directory) { child in
            await origin.received(4)
            child.send(SIGTERM)
        }
        #expect(outcome.status == 0, "\(outcome.error)")
        #expect(outcome.lines.count == 1)
        #expect(outcome.output.hasPrefix("kept for later: the origin answered 503"))
        await origin.stop()
    }
}
