// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingJSON
import SidingNodes
import SidingSynchronization

/// A model that is plain `Codable` and knows nothing of chains.
struct Person: Codable, Equatable, Sendable {
    var name: String
    var age: Int
    var friends: [Person]?
}

/// A model that is its own DTO, without a method.
struct Tag: Codable, Equatable, RawMappable, DTOConvertible {
    var label: String
}

/// A model with a DTO of another shape.
struct Ticket: Equatable, DTOConvertible {
    struct Refused: Error, Equatable { var number: Int }

    struct DTO: Codable, Equatable, RawMappable {
        var number: Int
        var labels: [String]
    }

    var id: Int
    var tags: Set<String>

    func toDTO() throws -> DTO {
        if id == 13 { throw MappingError("13 is not sent", at: JSONPath(member: "number")) }
        return DTO(number: id, labels: tags.sorted())
    }

    static func from(dto: DTO) throws -> Ticket {
        if dto.number == 13 { throw Refused(number: 13) }
        if dto.number < 0 { throw MappingError("a number is not negative", at: JSONPath(member: "number")) }
        return Ticket(id: dto.number, tags: Set(dto.labels))
    }
}

/// A chain below the models: answers as told and keeps the drafts that came.
final class ScriptedChain: Sendable {
    private let drafts = Mutex<[RequestDraft]>([])
    private let answer: LoadedResponse

    init(_ body: String?, status: Int = 200, contentType: String? = "application/json") throws {
        answer = try LoadedResponse.test(body, status: status, contentType: contentType)
    }

    var requests: [RequestDraft] { drafts.withLock { $0 } }

    /// The bytes of the only request's body; nil where it has none.
    var body: String? {
        guard requests.count == 1, case .bytes(let bytes) = requests[0].body else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    func sending(_ method: HTTPRequest.Method = .post) throws -> some Node<JSONDocument?, LoadedResponse> {
        MetadataConnectorNode<JSONDocument>([.acceptLanguage: "pl"])
            .then(URLRequestTransformerNode(RequestRoute(method, try HTTPURL("http://a/p?token=canary"))))
            .then(RequestEncoderNode<JSONDocument>())
            .then(
                Step<RequestDraft, LoadedResponse> { draft, _ in
                    self.drafts.withLock { $0.append(draft) }
                    return self.answer
                })
    }

    func parsing(_ method: HTTPRequest.Method = .post) throws -> some Node<JSONDocument?, ChainResponse<JSONDocument?>>
    {
        try sending(method).then(ResponseDataParserNode())
    }
}

extension LoadedResponse {
    static func test(_ body: String?, status: Int = 200, contentType: String? = "application/json") throws
        -> LoadedResponse
    {
        var fields: HTTPFields = [.eTag: "e"]
        fields[.contentType] = contentType
        return LoadedResponse(
            response: HTTPResponse(status: .init(code: status), headerFields: fields),
            bytes: body.map { Array($0.utf8) }, url: try HTTPURL("http://a/p?token=canary"))
    }
}

extension ChainResponse<JSONDocument?> {
    static func test(_ body: String?, status: Int = 200) throws -> ChainResponse<JSONDocument?> {
        let loaded = try LoadedResponse.test(body, status: status)
        return ChainResponse<JSONDocument?>(
            response: loaded.response, body: try body.map { try JSONDocument($0) }, url: loaded.url)
    }
}

extension JSONDocument {
    var text: String { String(decoding: bytes, as: UTF8.self) }
}
