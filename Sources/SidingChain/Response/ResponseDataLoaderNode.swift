public import HTTPTypes

/// An answer whose body lies in memory.
public struct LoadedResponse: Sendable {
    public var response: HTTPResponse
    /// Nil where the origin said that there is no content (204, 205, 304).
    public var bytes: [UInt8]?
    /// Where the answer came from, after redirects.
    public var url: HTTPURL
    /// Whether the origin gave the body for this call, or it was stored.
    public var source: AnswerSource

    public init(response: HTTPResponse, bytes: [UInt8]?, url: HTTPURL, source: AnswerSource = .server) {
        self.response = response
        self.bytes = bytes
        self.url = url
        self.source = source
    }
}

/// Reads the body into memory, up to a limit.
public struct ResponseDataLoaderNode: Node {
    private let limit: Int

    /// - Parameter limit: the most bytes that are accepted, decompressed; 64 MiB unless said otherwise.
    public init(limit: Int = 64 << 20) {
        self.limit = limit
    }

    public func process(_ input: ResponseContent, _ context: ChainContext) async throws(Failure) -> LoadedResponse {
        switch input {
        case .none(let response, let url):
            return LoadedResponse(response: response, bytes: nil, url: url)
        case .some(let reply):
            do {
                let bytes = try await reply.body.collect(upTo: limit)
                return LoadedResponse(response: reply.response, bytes: bytes, url: reply.url, source: reply.source)
            } catch {
                throw error.at(node: name, url: Redaction.url(reply.url))
            }
        }
    }
}
