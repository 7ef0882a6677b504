// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import HTTPTypes
import SidingChain
import SidingHTTP
import SidingJSON
import SidingNodes
import SidingOrigin
import SidingSynchronization
import SidingTesting
import TestSupport
import Testing

/// What the settings of a builder do to requests, as the origin sees them.
@Suite(.timeLimit(.minutes(5))) struct BuilderSettingsTests {
    struct Answer: Codable, Sendable, Equatable { var answer: Int }

    struct YesOrNo: QueryEncoding.BoolStrategy {
        func text(of value: Bool) -> String { value ? "yes" : "no" }
    }

    struct Places: QueryEncoding.ArrayStrategy {
        func itemName(_ place: Int, of list: String) -> String { "\(list)[\(place)]" }
    }

    struct Joined: QueryEncoding.ArrayStrategy {
        var joinsItems: Bool { true }
        func itemName(_ place: Int, of list: String) -> String { list }
    }

    struct Dashes: QueryEncoding.DictionaryStrategy {
        func memberName(_ member: String, of object: String) -> String { "\(object)-\(member)" }
    }

    /// A model that goes out as a form.
    struct Photo: DTOEncodable {
        var title: String
        var bytes: [UInt8]

        func toDTO() throws -> MultipartForm {
            var form = MultipartForm()
            form.append(field: "title", value: title)
            form.append(data: bytes, name: "photo", filename: "gate.jpg")
            return form
        }
    }

    /// Runs `body` with an origin and a builder for it, without waits between attempts.
    static func building(
        compresses: Bool = true, handler: @escaping Origin.Handler = { _ in .json(#"{"answer":42}"#) },
        _ body: (Origin, URLChainBuilder) async throws -> Void
    ) async throws {
        try await asking(compresses: compresses, handler: handler) { (origin, transport) async throws in
            let assembly = ChainAssembly(
                transport: transport, connectivity: TestConnectivity(),
                retry: RetryPolicy(retries: 0, backoff: Backoff(base: .zero)))
            try await body(origin, URLChainBuilder(assembly, baseURL: origin.url))
        }
    }

    @Test func `strategies of one's own write the query`() async throws {
        try await Self.building { (origin, builder) async throws in
            let query: [String: QueryValue] = ["f": true, "l": ["a", nil, "b"], "d": ["age": 23]]
            let own = builder.route(.get, "/p").set(query: query).set(boolEncodingStrategy: YesOrNo())
                .set(arrayEncodingStrategy: Places()).set(dictEncodingStrategy: Dashes())
            try await own.build(Void.self, to: Void.self)()
            try await own.set(arrayEncodingStrategy: Joined()).build(Void.self, to: Void.self)()
            #expect(
                origin.requests.map(\.target) == ["/p?d-age=23&f=yes&l%5B0%5D=a&l%5B2%5D=b", "/p?d-age=23&f=yes&l=a,b"])
        }
    }

    @Test func `encodings with equal strategies are equal`() {
        #expect(QueryEncoding(bools: YesOrNo()) == QueryEncoding(bools: YesOrNo()))
        #expect(QueryEncoding(bools: YesOrNo()) != QueryEncoding())
        #expect(QueryEncoding(arrays: .comma) != QueryEncoding(arrays: .brackets))
        #expect(Set([QueryEncoding(), QueryEncoding(dictionaries: .dots), QueryEncoding()]).count == 2)
    }

    @Test func `header fields are set by their names as text`() async throws {
        try await Self.building { (origin, builder) async throws in
            let chain: Chain<Void, Answer> = builder.route(.get, "/p").set(metadata: ["X-Locale": "fi", "X-Kind": "a"])
                .set(metadata: ["x-locale": "pl"]).build()
            #expect(try await chain() == Answer(answer: 42))
            let fields = origin.requests[0].headerFields
            #expect(fields[values: try #require(HTTPField.Name("X-Locale"))] == ["pl"])
            #expect(fields[values: try #require(HTTPField.Name("X-Kind"))] == ["a"])
        }
    }

    @Test(arguments: [
        (["X Locale": "fi"], "'X Locale' is not a name of a field"),
        (["X-A": "1", "x-a": "2"], "stands twice"), (["X-A": "canary\n"], "the value of 'X-A'"),
    ])
    func `a name that no field has, or a value that none takes, fails the call before it is sent`(
        _ metadata: [String: String], _ detail: String
    ) async throws {
        try await Self.building { (origin, builder) async throws in
            let chain: Chain<Void, Answer> = builder.set(metadata: metadata).set(metadata: ["X-B": "1"])
                .route(.get, "/p").build()
            let failure = try #require(await chain.outcome().failure)
            #expect(failure.reason == .invalidRequest)
            #expect(failure.phase == .notSent)
            #expect(failure.detail?.contains("set(metadata:) makes no header fields: ") == true)
            #expect(failure.detail?.contains(detail) == true)
            #expect(failure.detail?.contains("canary") == false)
            #expect(origin.requests.isEmpty)
        }
    }

    @Test func `an array of names leaves the events of those nodes out`() async throws {
        try await Self.building { (_, builder) async throws in
            let log = RecordedLog()
            let names = ["RequestSenderNode"]
            let chain: Chain<Void, Answer> = builder.route(.get, "/p").log(exclude: names).build()
            _ = try await chain(ChainContext(requestID: "1", logger: log.logger))
            #expect(log.lines.map(\.message) == ["request succeeded"])
        }
    }

    @Test func `a model whose DTO is a multipart form is sent as one`() async throws {
        try await Self.building { (origin, builder) async throws in
            let photos = builder.route(.post, "/photos")
            let chain: Chain<Photo, Answer> = photos.build()
            #expect(try await chain(Photo(title: "gate", bytes: [0x68, 0x69])) == Answer(answer: 42))
            let silent: Chain<Photo, Void> = photos.build()
            try await silent(Photo(title: "gate", bytes: []))
            let bytes: Chain<Photo, LoadedResponse> = photos.build(.form, .bytes)
            #expect(try await bytes(Photo(title: "gate", bytes: [])).response.status == .ok)
            let request = origin.requests[0]
            #expect(request.headerFields[.contentType]?.hasPrefix("multipart/form-data; boundary=") == true)
            let body = String(decoding: request.body, as: UTF8.self)
            #expect(body.contains("name=\"title\"\r\n\r\ngate\r\n"))
            #expect(body.contains("name=\"photo\"; filename=\"gate.jpg\"\r\nContent-Type: image/jpeg\r\n\r\nhi\r\n"))
            #expect(origin.requests.count == 3)
        }
    }

    @Test func `chains run at the priority of the builder, and its indicator counts their calls`() async throws {
        let indicator = LoadIndicator()
        let seen = Mutex<[(priority: TaskPriority, count: Int)]>([])
        try await Self.building { (_, builder) async throws in
            let middlewares = Middlewares().sideEffect("see") { _, _ in
                seen.withLock { $0.append((Task.currentPriority, indicator.count)) }
            }
            let set = builder.with(\.assembly.middlewares, middlewares).route(.get, "/p")
                .run(priority: .high).indicateLoad(on: indicator)
            let chain: Chain<Void, Answer> = set.build()
            #expect(chain.description.hasPrefix("LoadIndicatableNode(ChainConfiguratorNode(ModelInputNode("))
            #expect(try await chain() == Answer(answer: 42))
            #expect(indicator.count == 0)
            let directory = try TemporaryDirectory()
            let download = set.buildDownload(to: FileDestination(directory.path(of: "f")))
            #expect(try await download().bytes == 13)
        }
        #expect(seen.withLock { $0.map(\.priority) } == [.high, .high])
        #expect(seen.withLock { $0.map(\.count) } == [1, 1])
    }

    @Test func `one closure gets the progress of a download, another that of an upload`() async throws {
        let bytes = [UInt8](repeating: 7, count: 300_000)
        let down = Mutex<[TransferProgress]>([])
        let up = Mutex<[TransferProgress]>([])
        let handler: Origin.Handler = { _ in OriginResponse(body: bytes) }
        try await Self.building(compresses: false, handler: handler) { (_, builder) async throws in
            let directory = try TemporaryDirectory()
            let download = builder.route(.get, "/map")
                .reportProgress { progress in down.withLock { $0.append(progress) } }
                .buildDownload(to: FileDestination(directory.path(of: "map")))
            #expect(try await download().bytes == 300_000)
            let upload: Chain<[UInt8], Void> = builder.route(.put, "/map")
                .reportProgress(upload: { progress in up.withLock { $0.append(progress) } }).build(.bytes, .none)
            try await upload(bytes)
        }
        for told in [down.withLock(\.self), up.withLock(\.self)] {
            #expect(told.first == TransferProgress(completed: 0, total: 300_000))
            #expect(told.last?.fraction == 1)
            #expect((2...102).contains(told.count))
        }
    }

    @Test(arguments: [
        (400, "badRequest"), (401, "unauthorized"), (403, "forbidden"), (404, "notFound"), (500, "internalServerError"),
    ])
    func `a failed status has its name`(_ status: Int, _ name: String) async throws {
        let handler: Origin.Handler = { _ in .json("{}", status: HTTPResponse.Status(code: status)) }
        try await Self.building(handler: handler) { (_, builder) async throws in
            let chain: Chain<Void, Answer> = builder.route(.get, "/p").build()
            guard case .http(let answer)? = await chain.outcome().failure?.reason else {
                Issue.record("no status")
                return
            }
            #expect(answer.name == name)
        }
    }

    @Test func `a literal is the path of an envelope`() async throws {
        let handler: Origin.Handler = { _ in .json(#"{"data":{"items":[{"answer":1}]}}"#) }
        try await Self.building(handler: handler) { (_, builder) async throws in
            let chain: Chain<Void, Answer> = builder.route(.get, "/p").envelope(at: "$.data.items[0]").build()
            #expect(try await chain() == Answer(answer: 1))
        }
    }
}

extension Result where Failure == SidingChain.Failure {
    /// The failure; nil for a success.
    var failure: Failure? { if case .failure(let failure) = self { failure } else { nil } }
}
