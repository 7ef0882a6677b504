public import HTTPTypes

/// What a successful answer holds.
public enum ResponseContent: Sendable {
    /// 204, 205 or 304: the origin says that there is nothing to read, which is never an empty list.
    case none(HTTPResponse, url: HTTPURL)
    /// A body to read.
    case some(Reply)
}

/// Tells "no content" (204, 205, 304) from a body, so that nothing stored is ever removed because of it.
public struct ResponseDataPreprocessorNode: Node {
    public init() {}

    public func process(_ input: Reply, _ context: ChainContext) async throws(Failure) -> ResponseContent {
        switch input.response.status.code {
        case 204, 205, 304: .none(input.response, url: input.url)
        default: .some(input)
        }
    }
}
