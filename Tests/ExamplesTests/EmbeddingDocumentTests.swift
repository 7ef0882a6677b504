// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Siding
import SidingChain
import SidingHTTP
import SidingModels
import SidingNodes
import SidingOrigin
import SidingTesting
import Testing

/// Holds Docs/Embedding.md to code that is compiled, and runs that code.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct EmbeddingDocumentTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// `text` without its indentation.
    private static func plain(_ text: String) -> String {
        text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: "\n")
    }

    @Test func `every snippet of the document is compiled`() throws {
        let sources = try [
            "Tests/ExamplesTests/EmbeddingSnippets.swift", "Examples/Gateway/Gateway.swift",
            "Examples/TokenRefresh/TokenRefresh.swift", "Examples/Service/ServiceExample.swift",
        ].map { Self.plain(try Self.text($0)) }
        let document = try Self.text("Docs/Embedding.md")
        let blocks = document.matches(of: /(?m)^```swift\n((?:(?!```).*\n)*)```$/).map { String($0.1) }
        // The first is a manifest; a program with `traits: []` is in Tests/Embedder.
        let snippets = blocks.filter { !$0.hasPrefix("dependencies:") }
        #expect(snippets.count >= 8 && blocks.count == snippets.count + 1)
        for snippet in snippets {
            #expect(sources.contains { $0.contains(Self.plain(snippet)) }, "\(snippet)")
        }
    }

    private static func tracker() async throws -> Origin {
        let issues = Dataset((1...9).map { Dataset.Record(key: String($0), json: #"{"id":\#($0),"state":"open"}"#) })
        return try await Origin.start(routes: [
            RecordListing("/issues", of: issues, paging: .link, pageSize: 4),
            RecordWrites("/issues", to: issues, firstID: 100),
        ])
    }

    @Test func `the calls and writes of the document do what it says`() async throws {
        let origin = try await Self.tracker()
        let snippets = EmbeddingSnippets(url: origin.url.origin, path: directory.path(of: "tracker.db"))
        #expect(try await snippets.calls() == .done)
        #expect(origin.requests.map(\.method).filter { $0 != "GET" } == ["POST", "PATCH"])
        await origin.stop()
    }

    @Test func `the own writes of the guide of chains reach the origin, and the models show them`() async throws {
        let document = try Self.plain(Self.text("Docs/Chains.md"))
        let code = try Self.plain(Self.text("Tests/ExamplesTests/EmbeddingSnippets.swift"))
        let lines = code.split(separator: "\n")
        let begin = try #require(lines.firstIndex { $0.hasPrefix("let created = ") })
        #expect(document.contains(lines[begin..<(begin + 4)].joined(separator: "\n")))

        let origin = try await Self.tracker()
        let issues = try Resource<EmbeddingSnippets.Issue>(
            "issues", from: Source(baseURL: origin.url.origin), at: "/issues", key: \.id, paging: .linkHeader)
        let snippets = EmbeddingSnippets(url: origin.url.origin, path: directory.path(of: "tracker.db"))
        let siding = try await Siding(
            store: .sqlite(path: snippets.path), resources: [issues], transports: HTTPTransports())
        try await siding.sync(issues)
        try await snippets.ownWrites(siding, issues)
        #expect(
            origin.requests.filter { $0.method != "GET" }.map { "\($0.method) \($0.path)" }
                == ["POST /issues", "PATCH /issues/7", "DELETE /issues/8"])
        let stored = try await siding.records(of: issues).array()
        #expect(stored.map(\.id) == [1, 2, 3, 4, 5, 6, 7, 9, 100])
        #expect(stored.last?.title == "Gate 4 does not close")
        #expect(stored.first { $0.id == 7 }?.state == "closed")
        await siding.close()
        await origin.stop()
    }

    @Test func `the events, the health, the schedules and the close of the document work together`() async throws {
        let origin = try await Self.tracker()
        let snippets = EmbeddingSnippets(url: origin.url.origin, path: directory.path(of: "tracker.db"))
        let source = try Source(baseURL: origin.url.origin)
        let issues = AnyResource("issues", from: source, at: "/issues", key: "id", paging: .linkHeader)
        #expect(try snippets.scheduled(issues).allSatisfy { $0.schedule != nil })
        #expect(try snippets.declared().first?.source.idempotency != nil)
        let siding = try await snippets.logged(issues, HTTPTransports())
        let reading = Task { await snippets.events(siding) }
        try await siding.sync(issues)
        await snippets.errors(siding, issues)
        #expect(await snippets.health(siding).resources.map(\.isWell) == [true])
        let refused = try await siding.send(WriteRequest.json(.post, "/none", ["title": "x"], to: source))
        #expect(refused.state == .parked && refused.reason == .rejected)
        try await snippets.queue(siding)
        #expect(try await siding.queueEntry(refused.id).state == .dropped)
        await snippets.close(siding)
        // Its events have ended.
        await reading.value
        #expect(await snippets.health(siding).storeError?.kind == .closed)
        await origin.stop()
    }
}
