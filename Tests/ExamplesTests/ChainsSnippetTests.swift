// SPDX-License-Identifier: Apache-2.0
import Foundation
import SidingKit
import SidingOrigin
import SidingSynchronization
import SidingTesting
import Testing

/// Holds Docs/Chains.md, and the articles of DocC, to code that is compiled, and runs that code.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct ChainsSnippetTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private static let code = ["ChainsSnippets", "ModelSnippets", "EmbeddingSnippets"].map {
        "Tests/ExamplesTests/\($0).swift"
    }

    @Test func `every snippet of the guide of chains is compiled`() throws {
        let code = try DocumentCode.plain(files: Self.code)
        let snippets = try DocumentCode.snippets(of: "Docs/Chains.md")
        #expect(snippets.count >= 20)
        for snippet in snippets {
            // The parts between imports, declarations and comments in words may stand apart in the code.
            for part in Self.parts(of: snippet) {
                #expect(code.contains { $0.contains(part) }, "\(part)")
            }
        }
    }

    /// The paragraphs of a snippet, without its imports.
    private static func parts(of snippet: String) -> [String] {
        snippet.split(separator: "\n\n").map { paragraph in
            DocumentCode.plain(
                paragraph.split(separator: "\n").filter { !$0.hasPrefix("import ") }.joined(separator: "\n"))
        }.filter { !$0.isEmpty }
    }

    @Test(arguments: [
        "SidingNodes/SidingNodes.docc/Gateway", "SidingNodes/SidingNodes.docc/Tokens", "Siding/Siding.docc/Server",
        "SidingModels/SidingModels.docc/Copy",
    ])
    func `the article of a program has its code`(article: String) throws {
        let programs = try DocumentCode.plain(files: DocumentCode.programs)
        let snippets = try DocumentCode.snippets(of: "Sources/\(article).md")
        #expect(!snippets.isEmpty)
        for snippet in snippets {
            #expect(programs.contains { $0.contains(DocumentCode.plain(snippet)) }, "\(snippet)")
        }
    }

    /// Issues below `/v2`, open and closed, a log-in, a map, and what else the snippets ask for.
    private static func answer(_ request: OriginRequest) -> OriginResponse {
        let issue = #"{"id":7,"title":"broken gate","state":"open","comments":5,"version":1}"#
        let closed = #"{"id":8,"title":"lamp","state":"closed","comments":0,"version":1}"#
        return switch (request.method, request.path) {
        case ("GET", "/v2/issues"): .json(request.query["page"] == "2" ? "[]" : "[\(issue),\(closed)]")
        case ("PUT", "/v2/logo"), ("POST", "/v2/session"), ("DELETE", "/v2/issues/4%2F7"):
            OriginResponse(status: .ok)
        case ("GET", "/v2/map.pbf"): OriginResponse(status: .ok, body: [1, 2, 3])
        case (_, "/v2/issues/7"), ("POST", "/v2/issues"), ("POST", "/v2/reports"), ("GET", "/v2/me"): .json(issue)
        default: .notFound
        }
    }

    @Test func `the chains of the guide do what it says`() async throws {
        let origin = try await Origin.start { Self.answer($0) }
        let base = "\(origin.url.origin)/v2"
        let snippets = ChainsSnippets(tracker: try URLChainBuilder(baseURL: base))
        #expect(try ChainsSnippets.builder().baseURL?.description == "https://api.example.com/v2")
        await snippets.whatAChainIs()
        #expect(try await snippets.ownNode() == [8, 7])
        try await snippets.forms()
        #expect(try await snippets.properties() == 2)
        try await snippets.query()
        #expect(
            origin.requests.last?.target == "/v2/issues?sort=new&by.name=bob&labels=bug,door&open=true",
            "\(origin.requests.last?.target ?? "")")
        try await snippets.bodies()
        #expect(origin.requests.last?.headerFields[try #require(HTTPField.Name("X-Locale"))] == "fi")
        try directory.write([0xFF, 0xD8], to: "gate.jpg")
        try await snippets.multipart(directory.path(of: "gate.jpg"))
        try await snippets.download(to: directory.path(of: "map.pbf"))
        try await snippets.access(
            directory.path(of: "credentials"),
            TokenRefresherNode { _, _ in TokenGrant(accessToken: "a1", refreshToken: "r2", lifetime: .seconds(3600)) })
        #expect(origin.requests.last?.headerFields[.authorization] == "Bearer a1")
        try await snippets.caches()
        await snippets.envelope()
        try await snippets.pager(base)
        #expect(try await snippets.middlewares() == 2)
        _ = try snippets.limits()
        await origin.stop()
    }

    @Test func `the railway and the models of the guide do what it says`() async throws {
        let origin = try await Origin.start { Self.answer($0) }
        let base = "\(origin.url.origin)/v2"
        let models = ModelSnippets(base: base, path: directory.path(of: "typed.db"))
        let outcomes = try await models.typedResource()
        #expect(outcomes.count == 1)
        try await models.script()
        try await ModelSnippets(base: base, path: directory.path(of: "issues.json")).tape()

        let resource = try Resource<ChainsSnippets.Issue>(
            "issues", from: Source(baseURL: base), at: "/issues", key: \.id)
        let siding = try await Siding(
            store: .sqlite(path: directory.path(of: "railway.db")), resources: [resource], transports: HTTPTransports())
        let began = Promise<Void>()
        let reading = Task { try await models.changes(siding, resource, began) }
        await began.value()
        #expect(try await ChainsSnippets(tracker: URLChainBuilder(baseURL: base)).railway(siding, resource) == 1)
        reading.cancel()
        try await reading.value
        await siding.close()
        await origin.stop()
    }
}
