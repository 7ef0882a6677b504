internal import HTTPTypes

/// Tells every failure of an attempt with its method and URL, whatever node it comes from, and hides the source's own secret
/// query parameters, of which the nodes that read answers know nothing.
struct PlacedNode<Wrapped: Node>: Node where Wrapped.Input == RequestDraft {
    let wrapped: Wrapped
    let secretQueryNames: Set<String>

    /// No step of its own: it changes nothing but what is told.
    var steps: [String] { wrapped.steps }

    func process(_ input: RequestDraft, _ context: ChainContext) async throws(Failure) -> Wrapped.Output {
        do { return try await wrapped.process(input, context) } catch {
            var placed = error.at(
                method: input.route.method.rawValue, url: Redaction.url(input.route.url, also: secretQueryNames))
            placed.url = placed.url.map { Redaction.shown($0, also: secretQueryNames) }
            throw placed
        }
    }
}
