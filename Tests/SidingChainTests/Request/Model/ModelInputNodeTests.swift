// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import HTTPTypes
import SidingChain
import SidingJSON
import SidingNodes
import Testing

@Suite struct ModelInputNodeTests {
    @Test func `a model travels as its DTO and comes back as a model`() async throws {
        let scripted = try ScriptedChain(#"{"number":8,"labels":["a","b"]}"#)
        let chain = ModelInputNode<Ticket, Ticket, _>(DTOMapperNode(try scripted.parsing()))
        #expect(try await chain.process(Ticket(id: 7, tags: ["y", "x"]), .test) == Ticket(id: 8, tags: ["a", "b"]))
        #expect(scripted.body == #"{"labels":["x","y"],"number":7}"#)
        #expect(
            chain.description
                == "ModelInputNode(DTOMapperNode(MetadataConnectorNode → URLRequestTransformerNode → RequestEncoderNode → Step → "
                + "ResponseDataParserNode))")
    }

    @Test func `a model that is its own DTO needs nothing but the conformance`() async throws {
        let scripted = try ScriptedChain(#"[{"label":"b"}]"#)
        let chain = ModelInputNode<Tag, [Tag], _>(DTOMapperNode(try scripted.parsing()))
        #expect(try await chain.process(Tag(label: "a"), .test) == [Tag(label: "b")])
        #expect(scripted.body == #"{"label":"a"}"#)
    }

    @Test func `a plain Codable model runs through the same two nodes`() async throws {
        let scripted = try ScriptedChain(#"[{"name":"b","age":2}]"#)
        let chain = ModelInputNode<Person, [Person], _>(
            DTOMapperNode(try scripted.parsing(), input: .json(), output: .json()), input: .itself, output: .itself)
        #expect(try await chain.process(Person(name: "a/b", age: 1), .test) == [Person(name: "b", age: 2)])
        #expect(scripted.body == #"{"age":1,"name":"a/b"}"#)
    }

    @Test func `coders are the caller's, and names are sorted nevertheless`() async throws {
        struct Event: Codable, Equatable, Sendable {
            var startsAt: Date
            var endsAt: Date
        }
        let scripted = try ScriptedChain(#"{"starts_at":0,"ends_at":1}"#)
        let chain = DTOMapperNode<Event, Event, _>(
            try scripted.parsing(),
            input: .json {
                let encoder = JSONEncoder()
                encoder.keyEncodingStrategy = .convertToSnakeCase
                encoder.dateEncodingStrategy = .secondsSince1970
                encoder.outputFormatting = .prettyPrinted
                return encoder
            },
            output: .json {
                let decoder = JSONDecoder()
                decoder.keyDecodingStrategy = .convertFromSnakeCase
                decoder.dateDecodingStrategy = .secondsSince1970
                return decoder
            })
        let dates = [Date(timeIntervalSince1970: 0), Date(timeIntervalSince1970: 1)]
        let event = try await chain.process(Event(startsAt: dates[0], endsAt: dates[1]), .test)
        #expect(event == Event(startsAt: dates[0], endsAt: dates[1]))
        let sent = try #require(scripted.body)
        #expect(try JSONDocument(sent).members?.map(\.name) == ["ends_at", "starts_at"])
        let many = Dictionary(uniqueKeysWithValues: "abcdefghijklmnopqrst".map { (String($0), 1) })
        let unsorted = try ScriptedChain("1")
        let plain = DTOMapperNode<[String: Int], Int, _>(
            try unsorted.parsing(), input: .json { JSONEncoder() }, output: .json())
        _ = try await plain.process(many, .test)
        #expect(try JSONDocument(try #require(unsorted.body)).members?.map(\.name) == many.keys.sorted())
    }

    @Test(arguments: [HTTPRequest.Method.get, .post])
    func `a chain without input sends no body, not an empty object and not null`(method: HTTPRequest.Method)
        async throws
    {
        let scripted = try ScriptedChain(#"{"number":8,"labels":[]}"#)
        let dto = DTOMapperNode<JSONDocument?, Ticket.DTO, _>(try scripted.parsing(method), output: .fromRaw)
        let chain = VoidInputNode(ModelInputNode<JSONDocument?, Ticket, _>(dto, output: .fromDTO))
        #expect(try await chain.process((), .test) == Ticket(id: 8, tags: []))
        guard case EncodedBody.none? = scripted.requests.first?.body else {
            Issue.record("\(scripted.requests)")
            return
        }
        #expect(scripted.requests[0].headerFields == [.acceptLanguage: "pl"])
        #expect(scripted.requests[0].route.method == method)
        #expect(chain.description.hasPrefix("VoidInputNode(ModelInputNode(DTOMapperNode("))
    }

    @Test func `a chain without output ignores the body, be it JSON or not`() async throws {
        for body in ["OK", "{}", "", nil] as [String?] {
            let scripted = try ScriptedChain(body, contentType: "text/plain")
            let chain = ModelInputNode<Ticket, Void, _>(
                DTOMapperNode<Ticket.DTO, Void, _>(VoidOutputNode(try scripted.sending()), input: .toRaw), input: .toDTO
            )
            try await chain.process(Ticket(id: 7, tags: []), .test)
            #expect(scripted.body == #"{"labels":[],"number":7}"#)
        }
    }

    @Test(arguments: [HTTPRequest.Method.get, .post, .delete])
    func `a chain without input and output sends no body and gives nothing`(method: HTTPRequest.Method) async throws {
        let scripted = try ScriptedChain("OK")
        let chain = VoidIONode(try scripted.sending(method))
        try await chain.process((), .test)
        guard case EncodedBody.none? = scripted.requests.first?.body else {
            Issue.record("\(scripted.requests)")
            return
        }
        #expect(chain.description.hasPrefix("VoidIONode(MetadataConnectorNode → "))
    }

    @Test func `a failure below passes the mappings by`() async throws {
        let lost = Step<JSONDocument?, ChainResponse<JSONDocument?>> { _, _ throws(Failure) in
            throw Failure(.connectionLost, phase: .maybeSent)
        }
        let chain = ModelInputNode<Ticket, Ticket, _>(DTOMapperNode(lost))
        #expect(await chain.failure(Ticket(id: 1, tags: []))?.reason == .connectionLost)
        #expect(await VoidIONode(lost).failure(())?.phase == .maybeSent)
        #expect(await VoidOutputNode(lost).failure(nil)?.reason == .connectionLost)
    }

    @Test func `an unencodable value is an invalid request that names type and field, and nothing is sent`()
        async throws
    {
        struct Point: Codable, Sendable { var places: [Double] }
        let scripted = try ScriptedChain("1")
        let plain = DTOMapperNode<Point, Int, _>(try scripted.parsing(), input: .json(), output: .json())
        let failure = try #require(await plain.failure(Point(places: [1, .infinity])))
        #expect(failure.reason == .invalidRequest)
        #expect(failure.phase == .notSent)
        #expect(failure.node == "DTOMapperNode")
        #expect(failure.detail?.hasPrefix("Point at $.places[1]: ") == true, "\(failure)")

        let typed = ModelInputNode<[Ticket], [Ticket], _>(DTOMapperNode(try scripted.parsing()))
        let refused = try #require(await typed.failure([Ticket(id: 1, tags: []), Ticket(id: 13, tags: [])]))
        #expect(refused.reason == .invalidRequest)
        #expect(refused.node == "ModelInputNode")
        #expect(refused.detail == "Array<Ticket> at $[1].number: 13 is not sent")
        #expect(scripted.requests.isEmpty)
    }

    @Test func `an answer that the DTO refuses is a broken contract that names type, field and URL`() async throws {
        let scripted = try ScriptedChain(#"[{"number":1,"labels":[]},{"number":"x","labels":[]}]"#)
        let chain = ModelInputNode<Ticket, [Ticket], _>(DTOMapperNode(try scripted.parsing()))
        let failure = try #require(await chain.failure(Ticket(id: 1, tags: [])))
        #expect(failure.reason == .contract)
        #expect(failure.phase == .answered)
        #expect(failure.node == "DTOMapperNode")
        #expect(failure.url == "http://a/p?token=…")
        #expect(failure.detail == #"DTO at $[1].number: expected Int, found a string: "x""#)
        let error = try #require(failure.underlying as? MappingError)
        #expect(error.path == (try JSONPath(parsing: "$[1].number")))
    }

    @Test func `a model's own error is beneath a failure that names the place`() async throws {
        let scripted = try ScriptedChain(#"[{"number":1,"labels":[]},{"number":13,"labels":[]}]"#)
        let chain = ModelInputNode<Ticket, [Ticket], _>(DTOMapperNode(try scripted.parsing()))
        let failure = try #require(await chain.failure(Ticket(id: 1, tags: [])))
        #expect(failure.reason == .userCode)
        #expect(failure.phase == .answered)
        #expect(failure.underlying as? Ticket.Refused == Ticket.Refused(number: 13))
        #expect(failure.detail == "Array<Ticket> at $[1]: Refused(number: 13)")
        let negative = try ScriptedChain(#"{"number":-1,"labels":[]}"#)
        let one = ModelInputNode<Ticket, Ticket, _>(DTOMapperNode(try negative.parsing()))
        #expect(
            await one.failure(Ticket(id: 1, tags: []))?.detail == "Ticket at $.number: a number is not negative")
    }

    @Test func `a cancellation or a failure thrown by a mapping is not wrapped`() async throws {
        let scripted = try ScriptedChain("1")
        let cancelled = DTOMapperNode<[String], Int, _>(
            try scripted.parsing(), input: ModelMapping { _ in throw CancellationError() }, output: .json())
        #expect(await cancelled.failure([])?.reason == .cancelled)
        let own = DTOMapperNode<String, Int, _>(
            try scripted.parsing(), input: .json(),
            output: ModelMapping { _ in throw Failure(.tooLarge(limit: 1), phase: .answered) })
        #expect(await own.failure("")?.reason == .tooLarge(limit: 1))
        struct Abandoned: DTOEncodable {
            func toDTO() throws -> [String] { throw CancellationError() }
        }
        let list = ModelInputNode<[[Abandoned]], JSONDocument, _>(
            Step<[[[String]]], JSONDocument> { _, _ in .null }, input: .toDTO)
        #expect(await list.failure([[Abandoned()]])?.reason == .cancelled)
    }

    @Test func `raw forms of another kind than JSON travel alike`() async throws {
        struct Line: RawMappable, DTOConvertible, Equatable {
            var text: String
            func toRaw() -> String { text + "\n" }
            static func from(raw: String) throws -> Line { Line(text: String(raw.dropLast())) }
        }
        let echo = Step<String?, String?> { line, _ in line.map { "re: \($0)" } }
        let chain = ModelInputNode<Line, Line, _>(DTOMapperNode(echo))
        #expect(try await chain.process(Line(text: "a"), .test) == Line(text: "re: a"))
        let silent = Step<String?, String?> { _, _ in nil }
        let failure = await ModelInputNode<Line, Line, _>(DTOMapperNode(silent)).failure(Line(text: "a"))
        #expect(failure?.detail == "Line at $: no content where a Line was expected")
    }
}
