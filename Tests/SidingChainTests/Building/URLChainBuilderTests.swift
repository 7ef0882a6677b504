// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import HTTPTypes
import SidingChain
import SidingJSON
import SidingNodes
import SidingTesting
import Testing

@Suite struct URLChainBuilderTests {
    struct Draft: Codable, Sendable, Equatable { var title: String, urgent = false }
    struct Ticket: Codable, Sendable, Equatable { var id: Int, opened: Date? }

    /// A model with a shape of its own on the wire.
    struct Person: DTOConvertible, Equatable {
        struct DTO: Codable, RawMappable { var full_name: String }
        var name: String
        func toDTO() -> DTO { DTO(full_name: name) }
        static func from(dto: DTO) -> Person { Person(name: dto.full_name) }
    }

    private let transport = ScriptedTransport { asked in
        asked.request.method == .head ? .status(.noContent) : .text(#"{"id":7,"opened":"2026-03-01T09:05:00Z"}"#)
    }

    private func builder(_ method: HTTPRequest.Method = .post) throws -> URLChainBuilder {
        URLChainBuilder(ChainAssembly(transport: transport, connectivity: TestConnectivity()))
            .route(method, "/t/{id}", under: try HTTPURL("http://a/v1"), parameters: ["id": "x/y"])
    }

    /// Method, target, content type and body of the newest request.
    private var sent: [String] {
        transport.requests.last.map { asked in
            [
                asked.request.method.rawValue, asked.request.path ?? "",
                asked.request.headerFields[.contentType] ?? "-", String(decoding: asked.body, as: UTF8.self),
            ]
        } ?? []
    }

    @Test func `a model is sent and a model comes back`() async throws {
        let chain: Chain<Draft, Ticket> = try builder().build()
        let ticket = try await chain(Draft(title: "t"))
        #expect(ticket == Ticket(id: 7, opened: Date(timeIntervalSince1970: 1_772_355_900)))
        #expect(sent == ["POST", "/v1/t/x%2Fy", "application/json", #"{"title":"t","urgent":false}"#])
    }

    @Test(arguments: [
        ("2026-03-01T09:05:00Z", 1_772_355_900), ("2026-03-01T10:05:00.5+01:00", 1_772_355_900.5),
    ])
    func `dates are those of RFC 3339 both ways`(_ text: String, _ seconds: Double) async throws {
        let echo = ScriptedTransport { _ in .text(#"{"id":1,"opened":"\#(text)"}"#) }
        let chain: Chain<Ticket, Ticket> = URLChainBuilder(
            ChainAssembly(transport: echo, connectivity: TestConnectivity())
        ).route(.post, try HTTPURL("http://a/p")).build()
        let date = Date(timeIntervalSince1970: seconds)
        #expect(try await chain(Ticket(id: 1, opened: date)).opened == date)
        let body = String(decoding: echo.requests[0].body, as: UTF8.self)
        #expect(body == #"{"id":1,"opened":"\#(seconds == 1_772_355_900 ? text : "2026-03-01T09:05:00.500Z")"}"#)
    }

    @Test func `a date that was read is written with the same text, in a body, a query and a form`() throws {
        var texts = ["2026-03-01T09:05:00Z", "2026-03-01T09:05:00.120Z", "2026-03-01T09:05:00.000001Z"]
        for microseconds in stride(from: 946_706_787_563, to: 4_102_444_800_000_000, by: 946_706_787_563) {
            let moment = Timestamp(microseconds: Int64(microseconds))
            texts.append(moment.rfc3339(fractionDigits: microseconds % 1000 == 0 ? 3 : 6))
        }
        for text in texts {
            let read = try JSONCoding.decoder().decode([Date].self, from: Data(#"["\#(text)"]"#.utf8))
            #expect(try String(decoding: JSONCoding.encoder().encode(read), as: UTF8.self) == #"["\#(text)"]"#)
            #expect(try QueryValueEncoder().encode(read) == [.string(text)])
        }
    }

    @Test func `a chain without input sends no body, with any method`() async throws {
        for method in [HTTPRequest.Method.get, .post, .put, .delete] {
            let chain: Chain<Void, Ticket> = try builder(method).build()
            #expect(try await chain().id == 7)
            #expect(sent == [method.rawValue, "/v1/t/x%2Fy", "-", ""])
        }
    }

    @Test func `a chain without output requires nothing of the answer`() async throws {
        let odd = URLChainBuilder(
            ChainAssembly(transport: ScriptedTransport { _ in .text("OK") }, connectivity: TestConnectivity()))
        let chain: Chain<Draft, Void> = odd.route(.post, try HTTPURL("http://a/")).build()
        try await chain(Draft(title: "t"))
        let silent: Chain<Void, Void> = try builder(.head).build()
        try await silent()
        #expect(sent == ["HEAD", "/v1/t/x%2Fy", "-", ""])
    }

    @Test func `models with a shape of their own travel in it`() async throws {
        let answering = URLChainBuilder(
            ChainAssembly(
                transport: ScriptedTransport { .text(String(decoding: $0.body, as: UTF8.self)) },
                connectivity: TestConnectivity())
        ).route(.put, try HTTPURL("http://a/p"))
        let chain: Chain<Person, Person> = answering.build()
        #expect(try await chain(Person(name: "Ada")) == Person(name: "Ada"))
        let form: Chain<Person, Void> = try builder().encode(as: .formURL).build()
        try await form(Person(name: "A+B"))
        #expect(sent[2...] == ["application/x-www-form-urlencoded", "full_name=A%2BB"])
    }

    @Test(arguments: [
        (BodyEncoding.json, "GET", "/v1/t/x%2Fy?q=1", "application/json", #"{"title":"a b","urgent":true}"#),
        (.formURL, "GET", "/v1/t/x%2Fy?q=1", "application/x-www-form-urlencoded", "title=a%20b&urgent=true"),
        (.urlQuery, "DELETE", "/v1/t/x%2Fy?title=a%20b&urgent=true&q=1", "-", ""),
    ])
    func `the encoding and its strategies are the caller's choice for every method`(
        _ encoding: BodyEncoding, _ method: String, _ path: String, _ type: String, _ body: String
    ) async throws {
        let chosen = try builder(try #require(HTTPRequest.Method(method)))
            .set(query: ["q": 1]).set(boolEncodingStrategy: .asBool).encode(as: encoding)
        let chain: Chain<Draft, Ticket> = chosen.build()
        _ = try await chain(Draft(title: "a b", urgent: true))
        #expect(sent == [method, path, type, body])
    }

    @Test func `lists and objects in the query follow their strategies`() async throws {
        let query: [String: QueryValue] = ["l": [1, 2], "d": ["age": 23]]
        let chain: Chain<Void, Void> = try builder(.get).set(query: query).set(arrayEncodingStrategy: .comma)
            .set(dictEncodingStrategy: .dots).build()
        try await chain()
        #expect(sent[1] == "/v1/t/x%2Fy?d.age=23&l=1,2")
    }

    @Test func `metadata is set, the chain's own fields win, and providers are called on each attempt`() async throws {
        let attempts = Counter()
        let failing = ScriptedTransport([.status(.serviceUnavailable), .text("{}")])
        let assembly = ChainAssembly(
            transport: failing, connectivity: TestConnectivity(), headerFields: [.accept: "a", .acceptLanguage: "pl"],
            retry: RetryPolicy(retries: 1, backoff: Backoff(base: .zero)))
        let chain: Chain<Void, Void> = URLChainBuilder(assembly).route(.get, try HTTPURL("http://a/p"))
            .set(metadata: [.accept: "b"]).set(metadata: [.accept: "c"])
            .add(provider: RequestNodeTests.Provider { () throws(Failure) in [.authorization: "t\(attempts.next())"] })
            .build()
        try await chain()
        let fields = failing.requests.map(\.request.headerFields)
        #expect(fields.map { $0[values: .accept] } == [["c"], ["c"]])
        #expect(fields.map { $0[.acceptLanguage] } == ["pl", "pl"])
        #expect(fields.map { $0[.authorization] } == ["t1", "t2"])
    }

    @Test func `a POST is sent once, unless it is declared harmless to repeat`() async throws {
        for (method, isResendable, count) in [
            (HTTPRequest.Method.post, nil as Bool?, 1), (.post, true, 2), (.patch, nil, 1), (.put, nil, 2),
            (.get, nil, 2),
            (.get, false, 1),
        ] {
            let failing = ScriptedTransport { _ in .status(.serviceUnavailable) }
            let assembly = ChainAssembly(
                transport: failing, connectivity: TestConnectivity(),
                retry: RetryPolicy(retries: 1, backoff: Backoff(base: .zero)))
            let chain: Chain<Void, Void> = URLChainBuilder(assembly).route(method, try HTTPURL("http://a/p")).build()
            _ = await chain.failure((), ChainContext(requestID: "1", isResendable: isResendable))
            #expect(failing.requests.count == count, "\(method) \(String(describing: isResendable))")
        }
    }

    @Test func `a node of the program's own changes the request last`() async throws {
        let stamp = Step<RequestDraft, RequestDraft> { draft, _ in
            var draft = draft
            draft.headerFields[.from] = "me"
            return draft
        }
        let chain: Chain<Void, Void> = try builder().add(node: stamp).build()
        try await chain()
        #expect(transport.requests[0].request.headerFields[.from] == "me")
        #expect(chain.description.contains("RequestEncoderNode → Step → "))
    }

    @Test func `a refresh, and a middleware's own request, may be chains of a builder`() async throws {
        let tokens = RotatingTokenOrigin()
        let guarded = ScriptedTransport { tokens.answer($0) }
        let plain = URLChainBuilder(ChainAssembly(transport: guarded, connectivity: TestConnectivity()))
        let asking = plain.route(.post, "/token", under: try HTTPURL("http://a")).encode(as: .raw)
            .buildDataLoading(String.self)
        let refresher = TokenRefresherNode { spent, context in
            let answer = try await asking("refresh_token=\(spent.refreshToken ?? "")", context)
            return try TokenGrant(parsing: answer.bytes ?? [])
        }
        let store = InMemoryCredentialStore()
        let safety = AccessSafety(AccessSettings(account: "a", store: store, refresher: refresher))
        try await safety.signIn(tokens.grant)
        tokens.expire()
        let audit: Chain<Void, Void> = plain.route(.post, "/token", under: try HTTPURL("http://a")).build()
        let noted = Counter()
        var builder = plain.route(.get, try HTTPURL("http://a/me")).access(safety)
        builder.assembly.middlewares = Middlewares().sideEffect("audit") { _, context in
            noted.next()
            try? await audit(context)
        }
        let chain: Chain<Void, Void> = builder.build()
        let handle = CallHandle()
        try await chain(ChainContext(handle: handle))
        #expect(tokens.refreshes == 1)
        #expect(tokens.reuses == 0)
        #expect(noted.count == 1)
        #expect(guarded.requests.filter { $0.request.path == "/token" }.count == 2)
    }

    @Test(arguments: [ScriptedAnswer.status(.notFound), .text("{"), .text(#"{"id":"x"}"#), .status(.noContent)])
    func `every failure names method and URL, and hides the source's own secrets`(_ answer: ScriptedAnswer) async throws
    {
        var assembly = ChainAssembly(transport: ScriptedTransport { _ in answer }, connectivity: TestConnectivity())
        assembly.secretQueryNames = ["appid"]
        assembly.query = { ["appid": "s3cr3t"] }
        let chain: Chain<Void, Ticket> = URLChainBuilder(assembly).route(.get, try HTTPURL("http://a/p?q=1")).build()
        let failure = try #require(await chain.failure(()))
        #expect(failure.method == "GET")
        #expect(failure.url?.hasPrefix("http://a/p?q=1") == true)
        #expect(!failure.description.contains("s3cr3t"))
        #expect(failure.url?.contains("s3cr3t") == false)
    }

    @Test func `a missing route is a failure, not a trap`() async throws {
        let chain: Chain<Void, Void> = URLChainBuilder(
            ChainAssembly(transport: transport, connectivity: TestConnectivity())
        ).build()
        let failure = try #require(await chain.failure(()))
        #expect(failure.reason == .invalidRequest)
        #expect(failure.phase == .notSent)
        #expect(transport.requests.isEmpty)
    }

    @Test func `the value is taken out of its envelope`() async throws {
        let wrapping = ScriptedTransport { _ in .text(#"{"data":{"id":3},"meta":{}}"#) }
        let chain: Chain<Void, Ticket> = URLChainBuilder(
            ChainAssembly(transport: wrapping, connectivity: TestConnectivity())
        ).route(.get, try HTTPURL("http://a/p")).envelope(at: JSONPath(member: "data")).build()
        #expect(try await chain().id == 3)
    }

    @Test func `a multipart form is sent with its parts`() async throws {
        var form = MultipartForm()
        form.append(field: "title", value: "t")
        form.append(data: [1, 2], name: "blob", filename: "b.bin")
        let chain: Chain<MultipartForm, Ticket> = try builder().build()
        #expect(try await chain(form).id == 7)
        #expect(sent[2].hasPrefix("multipart/form-data; boundary="))
        #expect(sent[3].contains("name=\"blob\"; filename=\"b.bin\""))
    }

    @Test func `bytes are given as they came, and a file is written`() async throws {
        let bytes = try await builder(.get).buildDataLoading()()
        #expect(String(decoding: try #require(bytes.bytes), as: UTF8.self).hasPrefix(#"{"id":7"#))
        let loaded: Chain<Draft, LoadedResponse> = try builder().buildDataLoading()
        #expect(try await loaded(Draft(title: "t")).response.status == .ok)
        let directory = try TemporaryDirectory()
        let destination = FileDestination(directory.path(of: "ticket.json"))
        let file = try await builder(.get).buildDownload(to: destination)()
        #expect(file.bytes == 40)
        #expect(try Data(contentsOf: URL(filePath: file.path)).count == 40)
    }

    @Test func `each side of a chain has its declared format, independent of the other`() async throws {
        let dtoThenPlain: Chain<Person, Ticket> = try builder().build(.dto, .json)
        #expect(try await dtoThenPlain(Person(name: "bob")).id == 7)
        #expect(sent[3] == #"{"full_name":"bob"}"#)
        let rawBothWays: Chain<JSONDocument, JSONDocument> = try builder().build(.raw, .raw)
        let document = try await rawBothWays(try JSONDocument(#"{"b": 1.50,"a":[]}"#))
        #expect(document.text == #"{"id":7,"opened":"2026-03-01T09:05:00Z"}"#)
        #expect(sent[3] == #"{"b": 1.50,"a":[]}"#)
        let plainBothWays: Chain<JSONDocument, JSONDocument> = try builder().build()
        #expect(try await plainBothWays(try JSONDocument(#"{"b": 1.50,"a":[]}"#)).text == document.text)
        #expect(sent[3] == #"{"b": 1.50,"a":[]}"#)
        let bytes: Chain<Data, Void> = try builder(.put).build(.bytes, .none)
        try await bytes(Data([0x68, 0x69]))
        #expect(sent == ["PUT", "/v1/t/x%2Fy", "application/octet-stream", "hi"])
        let form: Chain<MultipartForm, LoadedResponse> = try builder().build(.form, .bytes)
        #expect(try await form(MultipartForm()).bytes?.count == 40)
        let persons = ScriptedTransport { _ in .text(#"{"full_name":"eve"}"#) }
        let plainThenDTO: Chain<Draft, Person> = URLChainBuilder(
            ChainAssembly(transport: persons, connectivity: TestConnectivity())
        ).route(.post, try HTTPURL("http://a/p")).build(.json, .dto)
        #expect(try await plainThenDTO(Draft(title: "t")) == Person(name: "eve"))
    }

    @Test func `a chain with a cache or to a file may have an input, and any form`() async throws {
        let flaky = ScriptedTransport([
            .text(#"{"full_name":"eve"}"#), .failure(Failure(.noInternetConnection, phase: .notSent)), .text("whole"),
        ])
        let builder = URLChainBuilder(ChainAssembly(transport: flaky, connectivity: TestConnectivity()))
            .route(.get, try HTTPURL("http://a/p")).encode(as: .urlQuery)
        let cached: Chain<Draft, ChainResponse<Person>> =
            try builder
            .cache(InMemoryResponseCache(), keying: CacheKeying(account: "a"))
            .buildCached(.serverIfFailsCache, .json, .dto)
        #expect(try await cached(Draft(title: "t")).body == Person(name: "eve"))
        let stored = try await cached(Draft(title: "t"))
        #expect(stored.body == Person(name: "eve"))
        #expect(stored.failure?.reason == .noInternetConnection)
        #expect(flaky.requests.map(\.request.path) == ["/p?title=t&urgent=0", "/p?title=t&urgent=0"])
        let directory = try TemporaryDirectory()
        let file = try await builder.buildDownload(.json, to: FileDestination(directory.path(of: "f")))(
            Draft(title: "u"))
        #expect(file.bytes == 5)
        #expect(flaky.requests.last?.request.path == "/p?title=u&urgent=0")
    }

    @Test func `a stored answer is given with its source when the line is down`() async throws {
        let offline = Failure(.noInternetConnection, phase: .notSent)
        let flaky = ScriptedTransport([.text(#"{"id":1}"#), .failure(offline), .failure(offline)])
        let builder = URLChainBuilder(ChainAssembly(transport: flaky, connectivity: TestConnectivity()))
            .route(.get, try HTTPURL("http://a/p"))
            .cache(InMemoryResponseCache(), keying: CacheKeying(account: "a"))
        let chain: Chain<Void, ChainResponse<Ticket>> = try builder.buildCached(.serverIfFailsCache)
        #expect(try await chain().source == .server)
        let stored = try await chain(ChainContext(handle: CallHandle()))
        #expect(stored.body.id == 1)
        #expect(stored.failure?.reason == .noInternetConnection)
        guard case .cache = stored.source else {
            Issue.record("\(stored.source)")
            return
        }
        let two: Chain<Void, ResponseSequence<Ticket>> = try builder.buildCacheThenServer()
        var answers: [Int] = []
        let failure = await failure {
            for try await answer in try await two() { answers.append(answer.body.id) }
        }
        #expect(answers == [1])
        #expect(failure?.reason == .noInternetConnection)
    }

    @Test func `a cache policy without a cache is refused when the chain is built`() throws {
        #expect(throws: Failure.self) {
            let _: Chain<Void, ChainResponse<Ticket>> = try builder().buildCached(.cacheOnly)
        }
    }
}
