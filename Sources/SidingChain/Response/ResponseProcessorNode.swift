/// Marks the border between sending and reading: what fails from here on has been answered.
///
/// A body that breaks off is a failure in phase `answered`, never an empty success.
public struct ResponseProcessorNode: Node {
    public init() {}

    public func process(_ input: Reply, _ context: ChainContext) async throws(Failure) -> Reply {
        var reply = input
        let (body, url) = (input.body, input.url)
        reply.body = ReplyBody(length: body.length) { () async throws(Failure) -> [UInt8]? in
            do throws(Failure) { return try await body.next() } catch {
                throw Self.answered(error).at(node: name, url: Redaction.url(url))
            }
        }
        return reply
    }

    private static func answered(_ failure: Failure) -> Failure {
        var answered = failure
        answered.phase = .answered
        if failure.reason == .connectionLost { answered.reason = .truncated }
        return answered
    }
}
