// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingHTTP
import SidingJSON
import SidingNodes
import SidingOrigin
import Testing

/// Models of chains, as the origin receives them and as they come back.
@Suite(.timeLimit(.minutes(5))) struct VocabularyModelTests {
    /// A model with another form on the wire.
    struct Ticket: Equatable, DTOConvertible {
        struct DTO: Codable, RawMappable {
            var number: Int
            var labels: [String]
        }

        var id: Int
        var tags: Set<String>

        func toDTO() throws -> DTO {
            if id == 13 { throw MappingError("13 is not sent", at: JSONPath(member: "number")) }
            return DTO(number: id, labels: tags.sorted())
        }

        static func from(dto: DTO) throws -> Ticket { Ticket(id: dto.number, tags: Set(dto.labels)) }
    }

    /// A model that is its own DTO.
    struct Tag: Codable, Equatable, RawMappable, DTOConvertible {
        var label: String
    }

    /// A model that names its members itself, as nothing generates such keys.
    struct Note: Codable, Sendable, Equatable {
        var id: Int
        var isLocked: Bool

        private enum CodingKeys: String, CodingKey {
            case id
            case isLocked = "locked"
        }
    }

    /// Returns the body of the request, or a ticket if there is none.
    static let echo: Origin.Handler = { request in
        request.body.isEmpty ? .json(#"{"number":8,"labels":[]}"#) : .json(request.text)
    }

    /// A request half that is joined by hand.
    static func request(
        _ method: HTTPRequest.Method, _ origin: Origin
    ) throws -> some Node<JSONDocument?, RequestDraft> {
        MetadataConnectorNode<JSONDocument>([.acceptLanguage: "pl"])
            .then(URLRequestTransformerNode(RequestRoute(method, try origin.at("/tickets"))))
            .then(RequestEncoderNode<JSONDocument>())
    }

    @Test func `a model is sent as its DTO, and the answer becomes a model`() async throws {
        try await BuilderSettingsTests.building(handler: Self.echo) { (origin, builder) async throws in
            let chain: Chain<Ticket, Ticket> = builder.route(.post, "/tickets").build()
            let ticket = Ticket(id: 7, tags: ["y", "x"])
            #expect(try await chain(ticket) == ticket)
            let sent = try #require(origin.requests.first)
            #expect(sent.line == "POST /tickets")
            #expect(sent.text == #"{"labels":["x","y"],"number":7}"#)
            #expect(sent.headerFields[.contentType] == "application/json")
        }
    }

    @Test func `an error of a mapping names the field, before the request and after the answer`() async throws {
        let answer = OriginResponse.json(#"[{"number":1,"labels":[]},{"number":"x","labels":[]}]"#)
        try await BuilderSettingsTests.building(handler: { _ in answer }) { (origin, builder) async throws in
            let chain: Chain<Ticket, [Ticket]> = builder.route(.post, "/tickets").build(.dto, .dto)
            let unsent = try #require(await chain.outcome(of: Ticket(id: 13, tags: [])).failure)
            #expect(unsent.reason == .invalidRequest && unsent.phase == .notSent)
            #expect(unsent.detail == "Ticket at $.number: 13 is not sent")
            #expect(origin.requests.isEmpty)
            let unread = try #require(await chain.outcome(of: Ticket(id: 1, tags: [])).failure)
            #expect(unread.reason == .contract && unread.phase == .answered)
            #expect(unread.detail?.hasPrefix("DTO at $[1].number: expected Int, found a string") == true)
            #expect(unread.url == "\(origin.url.origin)/tickets")
            #expect(origin.requests.count == 1)
        }
    }

    @Test(arguments: [HTTPRequest.Method.get, .post, .put, .delete])
    func `a chain without input sends no body, with and without output`(_ method: HTTPRequest.Method) async throws {
        try await BuilderSettingsTests.building(handler: Self.echo) { (origin, builder) async throws in
            let reading: Chain<Void, Ticket> = builder.route(method, "/tickets").build()
            #expect(try await reading() == Ticket(id: 8, tags: []))
            let silent: Chain<Void, Void> = builder.route(method, "/tickets").build()
            try await silent()
            #expect(origin.requests.map(\.line) == ["\(method.rawValue) /tickets", "\(method.rawValue) /tickets"])
            #expect(origin.requests.allSatisfy { $0.body.isEmpty && $0.headerFields[.contentType] == nil })
        }
    }

    @Test func `a chain without output accepts an answer in plain text, and still fails for a status`() async throws {
        let answer = OriginResponse(headerFields: [.contentType: "text/plain"], body: Array("OK".utf8))
        try await BuilderSettingsTests.building(handler: { _ in answer }) { (origin, builder) async throws in
            let write: Chain<Tag, Void> = builder.route(.put, "/tags/a").build()
            try await write(Tag(label: "a"))
            #expect(origin.requests.map(\.line) == ["PUT /tags/a"])
            #expect(origin.requests.map(\.text) == [#"{"label":"a"}"#])
            origin.inject(.status(500))
            #expect(await write.outcome(of: Tag(label: "a")).failure?.status == 500)
        }
    }

    @Test func `an array at the root is an array of any nesting, and an empty object never is`() async throws {
        try await BuilderSettingsTests.building(handler: Self.echo) { (origin, builder) async throws in
            let chain: Chain<[[Tag]], [[Tag]]> = builder.route(.post, "/tags").build(.dto, .dto)
            let tags = [[Tag(label: "a")], [], [Tag(label: "b"), Tag(label: "c")]]
            #expect(try await chain(tags) == tags)
            #expect(origin.requests.map(\.text) == [#"[[{"label":"a"}],[],[{"label":"b"},{"label":"c"}]]"#])
            origin.inject(.content(type: "application/json", body: Array("{}".utf8)))
            #expect(await chain.outcome(of: tags).failure?.reason == .contract)
        }
    }

    @Test func `the nodes of models may be joined by hand, for each kind of chain`() async throws {
        try await BuilderSettingsTests.building(handler: Self.echo) { (origin, builder) async throws in
            let (assembly, request) = (builder.assembly, try Self.request(.post, origin))
            let parsing = assembly.chain(from: request, to: ResponseDataLoaderNode().then(ResponseDataParserNode()))
            let loading = assembly.chain(from: request, to: ResponseDataLoaderNode())
            let ticket = Ticket(id: 7, tags: ["x"])

            let both = ModelInputNode<Ticket, Ticket, _>(DTOMapperNode(parsing))
            #expect(try await both.process(ticket, .call) == ticket)
            let received = DTOMapperNode<JSONDocument?, Ticket.DTO, _>(parsing, output: .fromRaw)
            let reading = VoidInputNode(ModelInputNode<JSONDocument?, Ticket, _>(received, output: .fromDTO))
            #expect(try await reading.process((), .call) == Ticket(id: 8, tags: []))
            let written = DTOMapperNode<Ticket.DTO, Void, _>(VoidOutputNode(loading), input: .toRaw)
            try await ModelInputNode<Ticket, Void, _>(written, input: .toDTO).process(ticket, .call)
            try await VoidIONode(loading).process((), .call)

            let json = #"{"labels":["x"],"number":7}"#
            #expect(origin.requests.map(\.text) == [json, "", json, ""])
            #expect(origin.requests.allSatisfy { $0.line == "POST /tickets" })
            #expect(origin.requests.allSatisfy { $0.headerFields[.acceptLanguage] == "pl" })
        }
    }

    @Test func `coding keys of the program name the members, and a text is checked as a URL when it runs`() async throws
    {
        try await BuilderSettingsTests.building(handler: Self.echo) { (origin, builder) async throws in
            let url = try HTTPURL("\(origin.url.origin)/notes?x=1")
            let chain: Chain<Note, Note> = builder.route(.post, url).build()
            let note = Note(id: 7, isLocked: true)
            #expect(try await chain(note) == note)
            #expect(origin.requests.map(\.line) == ["POST /notes?x=1"])
            #expect(origin.requests.map(\.text) == [#"{"id":7,"locked":true}"#])
            let failure = #expect(throws: Failure.self) { try HTTPURL("\(origin.url.host)/notes") }
            #expect(failure?.reason == .invalidRequest)
        }
    }
}
