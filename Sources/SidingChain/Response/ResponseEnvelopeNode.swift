public import SidingJSON

/// Takes the value out of an envelope: what stands at `$.data` becomes the document.
///
/// `null` and scalars in there are values. Nothing there is a failure, unless the path is declared optional. An answer
/// without content has no envelope and passes.
public struct ResponseEnvelopeNode: Node {
    private let path: JSONPath
    private let isOptional: Bool

    /// - Parameters:
    ///   - path: where the value lies.
    ///   - isOptional: whether an answer that has nothing there is one without content; else it breaks its contract.
    public init(at path: JSONPath, isOptional: Bool = false) {
        self.path = path
        self.isOptional = isOptional
    }

    public func process(_ input: ParsedResponse, _ context: ChainContext) async throws(Failure) -> ParsedResponse {
        guard let envelope = input.document else { return input }
        var response = input
        response.document = envelope.value(at: path)
        guard response.document != nil || isOptional else { throw missing(in: envelope, input.url) }
        return response
    }

    private func missing(in envelope: JSONDocument, _ url: HTTPURL) -> Failure {
        let place = PlainText.oneLine(path.description, limit: 80)
        return Failure(
            .contract, phase: .answered, detail: "there is nothing at \(place) in \(Redaction.excerpt(envelope))"
        ).at(node: name, url: Redaction.url(url))
    }
}
