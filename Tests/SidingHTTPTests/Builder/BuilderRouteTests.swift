// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import HTTPTypes
import SidingChain
import SidingHTTP
import SidingNodes
import SidingOrigin
import SidingTesting
import Testing

/// Where the requests of a builder go, as the origin sees it.
@Suite(.timeLimit(.minutes(5))) struct BuilderRouteTests {
    struct Own: Error {}
    struct Edit: Codable, Sendable { var id: Int, title: String }
    typealias Answer = BuilderSettingsTests.Answer

    @Test func `the input fills the placeholders of the route, and no body is sent`() async throws {
        try await BuilderSettingsTests.building { (origin, builder) async throws in
            let notes = builder.route(.get, "/issues/{id}/notes/{note}", parameters: ["note": "a/b"])
            let chain: Chain<Int, Answer> = notes.build(.path { ["id": "\($0)"] }, .json)
            #expect(try await chain(7) == Answer(answer: 42))
            _ = try await chain(8)
            #expect(origin.requests.map(\.target) == ["/issues/7/notes/a%2Fb", "/issues/8/notes/a%2Fb"])
            #expect(origin.requests[0].body.isEmpty)
            #expect(origin.requests[0].headerFields[.contentType] == nil)
        }
    }

    @Test func `an input may be part of the route and of the body`() async throws {
        try await BuilderSettingsTests.building { (origin, builder) async throws in
            let chain: Chain<Edit, Void> = builder.route(.patch, "/issues/{id}")
                .build(.json.path { ["id": "\($0.id)"] }, .none)
            try await chain(Edit(id: 7, title: "t"))
            #expect(origin.requests.map(\.target) == ["/issues/7"])
            #expect(origin.requests.map { String(decoding: $0.body, as: UTF8.self) } == [#"{"id":7,"title":"t"}"#])
        }
    }

    @Test func `downloads and chains with a cache take their route from the input, too`() async throws {
        try await BuilderSettingsTests.building { (origin, builder) async throws in
            let directory = try TemporaryDirectory()
            let logo = builder.route(.get, "/logos/{name}")
            let file = try await logo.buildDownload(
                .path { (name: String) in ["name": name] }, to: FileDestination(directory.path(of: "x")))("a b")
            #expect(file.bytes == 13)
            let cached: Chain<String, ChainResponse<Answer>> =
                try logo
                .cache(InMemoryResponseCache(), keying: CacheKeying(account: "me"))
                .buildCached(.serverIfFailsCache, .path { ["name": $0] }, .json)
            #expect(try await cached("c").body == Answer(answer: 42))
            #expect(origin.requests.map(\.target) == ["/logos/a%20b", "/logos/c"])
        }
    }

    @Test(arguments: [
        ("/issues/{id}", ["number": "7"], "the path '/issues/{id}' has no placeholder for the value of {number}"),
        ("/issues/{id}/{note}", ["id": "7"], "the placeholder {note} of the path '/issues/{id}/{note}' has no value"),
        ("/issues/{id}", ["id": ".."], "'..' cannot stand for {id}"),
    ])
    func `a placeholder without a value, and a value without a placeholder, are reported before anything is sent`(
        _ template: String, _ parameters: [String: String], _ detail: String
    ) async throws {
        try await BuilderSettingsTests.building { (origin, builder) async throws in
            let fromInput: Chain<Int, Answer> = builder.route(.get, template).build(.path { _ in parameters }, .json)
            let fixed: Chain<Void, Answer> = builder.route(.get, template, parameters: parameters).build()
            for failure in [await fromInput.outcome(of: 7).failure, await fixed.outcome().failure] {
                #expect(failure?.reason == .invalidRequest)
                #expect(failure?.phase == .notSent)
                #expect(failure?.detail?.contains(detail) == true, "\(String(describing: failure))")
            }
            #expect(origin.requests.isEmpty)
        }
    }

    @Test func `a whole URL has no placeholders, and an error of the closure is the caller's`() async throws {
        try await BuilderSettingsTests.building { (origin, builder) async throws in
            let whole: Chain<Int, Answer> = builder.route(.get, origin.url).build(.path { ["id": "\($0)"] }, .json)
            #expect(
                await whole.outcome(of: 7).failure?.detail?.contains("has no placeholder for the value of {id}") == true
            )
            let refusing: Chain<Int, Answer> = builder.route(.get, "/issues/{id}")
                .build(.path { _ in throw Own() }, .json)
            let failure = await refusing.outcome(of: 7).failure
            #expect(failure?.reason == .userCode)
            #expect(failure?.underlying is Own)
            #expect(origin.requests.isEmpty)
        }
    }

    @Test func `a builder begins with nothing but a base URL`() async throws {
        let origin = try await Origin.start { _ in .json(#"{"answer":42}"#) }
        let builder = try URLChainBuilder(baseURL: "\(origin.url.origin)/v2")
        let chain: Chain<Void, Answer> = builder.route(.get, "/issues").build()
        #expect(try await chain() == Answer(answer: 42))
        let elsewhere: Chain<Void, Answer> = builder.route(.get, "/issues", under: origin.url).build()
        #expect(try await elsewhere() == Answer(answer: 42))
        #expect(origin.requests.map(\.target) == ["/v2/issues", "/issues"])
        await origin.stop()
    }

    @Test func `a base URL may have a transport of its own, and must be one`() async throws {
        let script = ScriptedTransport([.text("[]")])
        let chain: Chain<Void, [Int]> = try URLChainBuilder(baseURL: "http://a/v2", transport: script)
            .route(.get, "/n").build()
        #expect(try await chain() == [])
        #expect(script.requests.map(\.request.path) == ["/v2/n"])
        let failure = #expect(throws: Failure.self) {
            try URLChainBuilder(baseURL: "api.example.com", transport: script)
        }
        #expect(failure?.reason == .invalidRequest)
    }

    @Test func `a path without a base fails, and the message names the remedy`() async throws {
        let builder = URLChainBuilder(
            ChainAssembly(transport: ScriptedTransport([]), connectivity: TestConnectivity()))
        let chain: Chain<Void, Answer> = builder.route(.get, "/issues").build()
        let failure = await chain.outcome().failure
        #expect(failure?.reason == .invalidRequest)
        #expect(
            failure?.detail
                == "the path '/issues' has no base: give it one by 'under:', or the builder by 'baseURL:'")
    }

    @Test func `an assembly of one's own halves gives a chain`() async throws {
        try await BuilderSettingsTests.building { (origin, builder) async throws in
            let base = origin.url
            let chain: Chain<Int, LoadedResponse> = builder.assembly.chain(
                from: RequestRouterNode { (id: Int) in
                    RequestDraft(
                        route: try RequestRoute(.get, "/issues/{id}", under: base, parameters: ["id": "\(id)"]))
                }, to: ResponseDataLoaderNode())
            #expect(try await chain(7).bytes?.count == 13)
            #expect(origin.requests.map(\.target) == ["/issues/7"])
        }
    }
}
