// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
public import SidingChain
public import SidingJSON

/// Parses a loaded body as one JSON document: object, array, scalar or null, with every byte checked.
///
/// It is stricter than RFC 8259 where parsers differ: duplicate names in an object, unpaired surrogates and nesting beyond the
/// limit are rejected. "No content" stays nil. Failures are `Failure.Reason.contract` and name the URL, the byte offset and
/// the surrounding text.
public struct ResponseDataParserNode: Node {
    private let limits: JSONLimits
    private let allowsEmptyBody: Bool

    /// - Parameters:
    ///   - limits: depth, number of values and string length.
    ///   - allowsEmptyBody: whether a success with zero bytes counts as "no content", as for HEAD and for origins that respond
    ///     200 where 204 is meant; otherwise it is a failure, as the response may have been truncated.
    public init(limits: JSONLimits = JSONLimits(), allowsEmptyBody: Bool = false) {
        self.limits = limits
        self.allowsEmptyBody = allowsEmptyBody
    }

    public func process(
        _ input: LoadedResponse, _ context: ChainContext
    ) async throws(Failure) -> ChainResponse<JSONDocument?> {
        do throws(Failure) {
            return input.with(body: try document(input))
        } catch {
            throw error.at(node: name, url: Redaction.url(input.url))
        }
    }

    private func document(_ loaded: LoadedResponse) throws(Failure) -> JSONDocument? {
        guard let bytes = loaded.bytes else { return nil }
        if bytes.isEmpty {
            if allowsEmptyBody { return nil }
            throw Failure(
                .contract, phase: .answered, detail: "status \(loaded.response.status.code) with an empty body")
        }
        // A part of a document may itself be a valid document, such as the first digit of a number.
        guard loaded.response.status.code != 206 else {
            throw Failure(.contract, phase: .answered, detail: "206: a part of a document, which was not asked for")
        }
        do throws(DocumentFault) { return try JSONDocument(bytes, limits: limits) } catch {
            throw Self.failure(error, bytes, loaded.response)
        }
    }

    private static func failure(_ fault: DocumentFault, _ bytes: [UInt8], _ response: HTTPResponse) -> Failure {
        let fragment = bytes.withUnsafeBytes { fault.excerpt(of: $0) }
        var detail = "the body is not usable JSON: \(fault), near: \(fragment)"
        if let type = response.headerFields[.contentType], !type.lowercased().contains("json") {
            detail += "; the origin calls it '\(PlainText.oneLine(type, limit: 60))'"
        }
        return Failure(.contract, phase: .answered, detail: detail, underlying: fault)
    }
}

/// Unwraps an envelope: the value at `$.data` becomes the document.
///
/// `null` and scalars there are values. A missing value is a failure, unless the path is declared optional. A response without
/// content has no envelope and passes.
public struct ResponseEnvelopeNode: Node {
    private let path: JSONPath
    private let isOptional: Bool

    /// - Parameters:
    ///   - path: the path of the value.
    ///   - isOptional: whether a response without that value counts as "no content"; otherwise it breaks its contract.
    public init(at path: JSONPath, isOptional: Bool = false) {
        self.path = path
        self.isOptional = isOptional
    }

    public func process(
        _ input: ChainResponse<JSONDocument?>, _ context: ChainContext
    ) async throws(Failure) -> ChainResponse<JSONDocument?> {
        guard let envelope = input.body else { return input }
        var response = input
        response.body = envelope.value(at: path)
        guard response.body != nil || isOptional else { throw missing(in: envelope, input.url) }
        return response
    }

    private func missing(in envelope: JSONDocument, _ url: HTTPURL) -> Failure {
        let place = PlainText.oneLine(path.description, limit: 80)
        return Failure(
            .contract, phase: .answered, detail: "there is nothing at \(place) in \(Redaction.excerpt(envelope))"
        ).at(node: name, url: Redaction.url(url))
    }
}

/// Replaces "no content" with `{}`, for consumers that require JSON.
///
/// A 304 keeps no document, since it means that the stored one is still valid. The replacement is never an empty list: no
/// stored records may be removed because of it.
public struct NoContentNode: Node {
    /// For a chain whose consumer requires a document; place it after ``ResponseDataParserNode``.
    public init() {}

    public func process(
        _ input: ChainResponse<JSONDocument?>, _ context: ChainContext
    ) async throws(Failure) -> ChainResponse<JSONDocument?> {
        guard input.body == nil, input.response.status.code != 304 else { return input }
        var response = input
        response.body = .emptyObject
        return response
    }
}
