// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials
internal import HTTPTypes
internal import SidingChain
internal import SidingJSON

extension Tape.Exchange: Codable {
    private enum CodingKeys: CodingKey { case request, answer, failure }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        request = try container.decode(Tape.Request.self, forKey: .request)
        if container.contains(.failure) {
            outcome = .failure(try container.decode(TapeFailure.self, forKey: .failure).failure)
        } else {
            outcome = .answer(try container.decode(Tape.Answer.self, forKey: .answer))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(request, forKey: .request)
        switch outcome {
        case .answer(let answer): try container.encode(answer, forKey: .answer)
        case .failure(let failure): try container.encode(TapeFailure(failure), forKey: .failure)
        }
    }
}

extension Tape.Request: Codable {
    private enum CodingKeys: CodingKey { case method, url, headerFields, body }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        method = try container.decode(String.self, forKey: .method)
        url = try container.decode(String.self, forKey: .url)
        headerFields = try container.decode(TapeFields.self, forKey: .headerFields).fields
        body = try container.decodeIfPresent(Tape.Body.self, forKey: .body)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(method, forKey: .method)
        try container.encode(url, forKey: .url)
        try container.encode(TapeFields(headerFields), forKey: .headerFields)
        try container.encodeIfPresent(body, forKey: .body)
    }
}

extension Tape.Answer: Codable {
    private enum CodingKeys: CodingKey { case status, headerFields, body, length, url, brokenBy }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        status = try container.decode(Int.self, forKey: .status)
        guard (100...999).contains(status) else {
            throw DecodingError.dataCorruptedError(forKey: .status, in: container, debugDescription: "no HTTP status")
        }
        headerFields = try container.decode(TapeFields.self, forKey: .headerFields).fields
        body = try container.decode(Tape.Body.self, forKey: .body)
        length = try container.decodeIfPresent(Int.self, forKey: .length)
        url = try container.decodeIfPresent(String.self, forKey: .url).map { text in
            guard let url = try? HTTPURL(text) else {
                throw DecodingError.dataCorruptedError(forKey: .url, in: container, debugDescription: "no http URL")
            }
            return url
        }
        brokenBy = try container.decodeIfPresent(TapeFailure.self, forKey: .brokenBy)?.failure
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(status, forKey: .status)
        try container.encode(TapeFields(headerFields), forKey: .headerFields)
        try container.encode(body, forKey: .body)
        try container.encodeIfPresent(length, forKey: .length)
        try container.encodeIfPresent(url?.description, forKey: .url)
        try container.encodeIfPresent(brokenBy.map { TapeFailure($0) }, forKey: .brokenBy)
    }
}

extension Tape.Body: Codable {
    private enum CodingKeys: CodingKey { case text, base64, json, cut }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        isCut = try container.decodeIfPresent(Bool.self, forKey: .cut) ?? false
        if let encoded = try container.decodeIfPresent(String.self, forKey: .base64) {
            guard let data = Data(base64Encoded: encoded) else {
                throw DecodingError.dataCorruptedError(forKey: .base64, in: container, debugDescription: "no base64")
            }
            bytes = [UInt8](data)
        } else if container.contains(.json) {
            bytes = Array(try container.decode(JSONDocument.self, forKey: .json).bytes)
        } else {
            bytes = Array(try container.decode(String.self, forKey: .text).utf8)
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        if let text = String(validating: bytes, as: UTF8.self) {
            try container.encode(text, forKey: .text)
        } else {
            try container.encode(Data(bytes).base64EncodedString(), forKey: .base64)
        }
        if isCut { try container.encode(true, forKey: .cut) }
    }
}

/// Header fields as a list, to preserve their order and repeated names.
struct TapeFields: Codable {
    var fields: HTTPFields

    private struct Field: Codable {
        let name: String
        let value: String
    }

    init(_ fields: HTTPFields) {
        self.fields = fields
    }

    init(from decoder: any Decoder) throws {
        fields = HTTPFields()
        for field in try [Field](from: decoder) {
            guard let name = HTTPField.Name(field.name) else {
                throw DecodingError.dataCorrupted(
                    DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "no header name"))
            }
            fields.append(HTTPField(name: name, value: field.value))
        }
    }

    func encode(to encoder: any Encoder) throws {
        try fields.map { Field(name: $0.name.rawName, value: $0.value) }.encode(to: encoder)
    }
}
