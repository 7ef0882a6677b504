// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingJSON
import SidingNodes
import SidingTesting
import Testing

/// Typed chains over the one assembly: what goes out, and what becomes of what comes back.
@Suite struct ModelChainTests {
    struct Typed {
        let transport: ScriptedTransport

        init(_ answer: ScriptedAnswer) { transport = ScriptedTransport { _ in answer } }

        func request(_ method: HTTPRequest.Method) throws -> some Node<JSONDocument?, RequestDraft> {
            MetadataConnectorNode<JSONDocument>()
                .then(URLRequestTransformerNode(RequestRoute(method, try HTTPURL("http://a/p"))))
                .then(RequestEncoderNode<JSONDocument>())
        }

        func reading(_ method: HTTPRequest.Method) throws -> any Node<JSONDocument?, ChainResponse<JSONDocument?>> {
            ChainAssembly(transport: transport, connectivity: TestConnectivity())
                .chain(from: try request(method), to: ResponseDataLoaderNode().then(ResponseDataParserNode()))
        }

        func loading(_ method: HTTPRequest.Method) throws -> any Node<JSONDocument?, LoadedResponse> {
            ChainAssembly(transport: transport, connectivity: TestConnectivity())
                .chain(from: try request(method), to: ResponseDataLoaderNode())
        }

        func dto<I: DTOEncodable, O: DTODecodable>(_ input: I.Type, _ output: O.Type) throws -> any Node<I, O>
        where I.DTO.Raw == JSONDocument, O.DTO.Raw == JSONDocument {
            func wrap(_ chain: some Node<JSONDocument?, ChainResponse<JSONDocument?>>) -> any Node<I, O> {
                ModelInputNode<I, O, _>(DTOMapperNode(chain))
            }
            return wrap(try reading(.post))
        }

        func plain<I: Encodable & Sendable, O: Decodable & Sendable>(
            _ input: I.Type, _ output: O.Type
        ) throws -> any Node<I, O> {
            func wrap(_ chain: some Node<JSONDocument?, ChainResponse<JSONDocument?>>) -> any Node<I, O> {
                ModelInputNode<I, O, _>(
                    DTOMapperNode<I, O, _>(chain, input: .json(), output: .json()), input: .itself, output: .itself)
            }
            return wrap(try reading(.post))
        }

        func withoutInput<O: DTODecodable>(_ output: O.Type) throws -> any Node<Void, O>
        where O.DTO.Raw == JSONDocument {
            func wrap(_ chain: some Node<JSONDocument?, ChainResponse<JSONDocument?>>) -> any Node<Void, O> {
                let dto = DTOMapperNode<JSONDocument?, O.DTO, _>(chain, output: .fromRaw)
                return VoidInputNode(ModelInputNode<JSONDocument?, O, _>(dto, output: .fromDTO))
            }
            return wrap(try reading(.get))
        }

        func withoutOutput<I: DTOEncodable>(_ input: I.Type) throws -> any Node<I, Void>
        where I.DTO.Raw == JSONDocument {
            func wrap(_ chain: some Node<JSONDocument?, LoadedResponse>) -> any Node<I, Void> {
                let dto = DTOMapperNode<I.DTO, Void, _>(VoidOutputNode(chain), input: .toRaw)
                return ModelInputNode<I, Void, _>(dto, input: .toDTO)
            }
            return wrap(try loading(.post))
        }

        func silent() throws -> any Node<Void, Void> {
            func wrap(_ chain: some Node<JSONDocument?, LoadedResponse>) -> any Node<Void, Void> { VoidIONode(chain) }
            return wrap(try loading(.post))
        }

        /// Method, content type and body of the only request.
        var sent: [String] {
            transport.requests.flatMap {
                [
                    $0.request.method.rawValue, $0.request.headerFields[.contentType] ?? "-",
                    String(decoding: $0.body, as: UTF8.self),
                ]
            }
        }
    }

    static let answer = ScriptedAnswer.text(#"[{"number":8,"labels":["a"]}]"#)

    @Test func `models with a DTO are sent and received`() async throws {
        let typed = Typed(Self.answer)
        let chain = try typed.dto(Ticket.self, [Ticket].self)
        #expect(try await chain.process(Ticket(id: 7, tags: ["x"]), .test) == [Ticket(id: 8, tags: ["a"])])
        #expect(typed.sent == ["POST", "application/json", #"{"labels":["x"],"number":7}"#])
        #expect(chain.description.hasPrefix("ModelInputNode(DTOMapperNode(LoggerNode(MetadataConnectorNode → "))
    }

    @Test func `plain Codable models are sent and received`() async throws {
        let typed = Typed(Self.answer)
        let chain = try typed.plain([String: Int].self, [Ticket.DTO].self)
        #expect(try await chain.process(["b": 1, "a": 2], .test) == [Ticket.DTO(number: 8, labels: ["a"])])
        #expect(typed.sent == ["POST", "application/json", #"{"a":2,"b":1}"#])
    }

    @Test func `a chain of models may have no input, no output, or neither`() async throws {
        let reading = Typed(Self.answer)
        #expect(try await reading.withoutInput([Ticket].self).process((), .test) == [Ticket(id: 8, tags: ["a"])])
        #expect(reading.sent == ["GET", "-", ""])
        let writing = Typed(.text("OK"))
        try await writing.withoutOutput(Tag.self).process(Tag(label: "x"), .test)
        #expect(writing.sent == ["POST", "application/json", #"{"label":"x"}"#])
        let silent = Typed(.status(.noContent))
        try await silent.silent().process((), .test)
        #expect(silent.sent == ["POST", "-", ""])
    }

    @Test func `a status other than a success is reported before anything is parsed`() async throws {
        let typed = Typed(.text("<html>", status: .badGateway))
        let failure = await #expect(throws: Failure.self) {
            try await typed.dto(Tag.self, Tag.self).process(Tag(label: "x"), .test)
        }
        #expect(failure?.reason.name == "http502")
    }
}
