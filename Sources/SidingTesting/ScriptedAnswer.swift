public import HTTPTypes
public import SidingChain

/// What a ``ScriptedTransport`` does with one request.
public enum ScriptedAnswer: Sendable {
    /// An answer: the body in chunks, then its end, or the failure that breaks it off.
    case reply(HTTPResponse, chunks: [[UInt8]] = [], ending: Failure? = nil)
    /// No answer.
    case failure(Failure)

    /// An answer of text, as JSON unless said otherwise.
    public static func text(
        _ body: String, status: HTTPResponse.Status = .ok, headerFields: HTTPFields = [.contentType: "application/json"]
    ) -> ScriptedAnswer {
        .reply(HTTPResponse(status: status, headerFields: headerFields), chunks: [Array(body.utf8)])
    }

    /// An answer without a body.
    public static func status(_ status: HTTPResponse.Status, headerFields: HTTPFields = [:]) -> ScriptedAnswer {
        .reply(HTTPResponse(status: status, headerFields: headerFields))
    }

    func reply(from url: HTTPURL) throws(Failure) -> Reply {
        switch self {
        case .failure(let failure):
            throw failure
        case .reply(let response, let chunks, let ending):
            let rest = ScriptedBody(chunks, ending)
            let length = ending == nil ? chunks.reduce(0) { $0 + $1.count } : nil
            let body = ReplyBody(length: length) { () async throws(Failure) -> [UInt8]? in try rest.next() }
            return Reply(response: response, body: body, url: url)
        }
    }
}
