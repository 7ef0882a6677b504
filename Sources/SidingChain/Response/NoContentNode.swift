internal import HTTPTypes
internal import SidingJSON

/// Gives `{}` in the place of no content, for consumers of JSON that ask for it.
///
/// A 304 stays without a document, as it says that the stored one is still right. It is never an empty list: nothing
/// stored may be removed because of it.
public struct NoContentNode: Node {
    public init() {}

    public func process(_ input: ParsedResponse, _ context: ChainContext) async throws(Failure) -> ParsedResponse {
        guard input.document == nil, input.response.status.code != 304 else { return input }
        var response = input
        response.document = .emptyObject
        return response
    }
}
