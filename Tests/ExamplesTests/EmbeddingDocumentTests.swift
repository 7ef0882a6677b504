// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Siding
import SidingChain
import SidingHTTP
import SidingModels
import SidingNodes
import SidingOrigin
import SidingSynchronization
import SidingTesting
import Testing

/// Holds Docs/Embedding.md to code that is compiled, and runs that code.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct EmbeddingDocumentTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test func `every snippet of the document is compiled`() throws {
        let sources = try DocumentCode.plain(
            files: ["Tests/ExamplesTests/EmbeddingSnippets.swift"] + DocumentCode.programs)
        let blocks = try DocumentCode.snippets(of: "Docs/Embedding.md")
        // The first is a manifest; a program with `traits: []` is in Tests/Embedder.
        let snippets = blocks.filter { !$0.hasPrefix("dependencies:") }
        #expect(snippets.count >= 8 && blocks.count == snippets.count + 1)
        for snippet in snippets {
            let code = snippet.split(separator: "\n").drop { $0.hasPrefix("import ") }.joined(separator: "\n")
            let forms = [snippet, code].map { DocumentCode.plain($0) }
            #expect(sources.contains { source in forms.contains { source.contains($0) } }, "\(snippet)")
        }
    }

    /// What a name in a snippet needs beside SidingKit.
    private static let modules = [
        "Foundation": ["Data(", "Data,", "Data>", "Date(", "UUID(", "ProcessInfo", "FileManager"],
        "Logging": ["Logger("], "Testing": ["#expect"], "ServiceLifecycle": ["ServiceGroup("],
        "Hummingbird": ["Router("], "SidingTesting": ["ScriptedTransport"],
    ]

    @Test(arguments: ["README.md", "Docs/Chains.md", "Docs/Embedding.md"])
    func `a snippet imports what its names need, or its page does at the first one`(page: String) throws {
        let snippets = try DocumentCode.snippets(of: page).filter { !$0.hasPrefix("dependencies:") }
        let first = try #require(snippets.first { $0.contains("import SidingKit") })
        for snippet in snippets {
            for (module, names) in Self.modules where names.contains(where: snippet.contains) {
                let isThere = [snippet, first].contains { $0.contains("import \(module)") }
                #expect(isThere, "import \(module) is missing in \(page): \(snippet)")
            }
        }
    }

    @Test func `the declared resource of the document is read, and follows deletions`() async throws {
        let all = #"{"items":[{"id":1},{"id":2},{"id":3},{"id":4}]}"#
        let pages = Mutex([all, #"{"items":[{"id":1},{"id":2},{"id":3}]}"#])
        let origin = try await Origin.start { request in
            guard request.query["page"] == "1" else { return .json(#"{"items":[]}"#) }
            return .json(pages.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] })
        }
        let snippets = EmbeddingSnippets(
            url: origin.url.origin, path: directory.path(of: "shop.db"), environment: ["SHOP_TOKEN": "t"])
        let products = try #require(try snippets.declared().first)
        let siding = try await Siding(
            store: .sqlite(path: snippets.path), resources: [products], transports: HTTPTransports())
        var keys: [[String]] = []
        for _ in 0..<3 {
            try await siding.sync(products)
            keys.append(try await siding.rawRecords(of: products).map(\.key))
        }
        #expect(keys == [["1", "2", "3", "4"], ["1", "2", "3", "4"], ["1", "2", "3"]])
        await siding.close()
        await origin.stop()
    }

    @Test func `the calls and writes of the document do what it says`() async throws {
        let origin = try await Origin.tracker()
        let snippets = EmbeddingSnippets(url: origin.url.origin, path: directory.path(of: "tracker.db"))
        #expect(try await snippets.calls() == .done)
        #expect(origin.requests.map(\.method).filter { $0 != "GET" } == ["POST", "PATCH"])
        await origin.stop()
    }

    @Test func `the own writes of the guide of chains reach the origin, and the models show them`() async throws {
        let origin = try await Origin.tracker()
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
        let origin = try await Origin.tracker()
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
