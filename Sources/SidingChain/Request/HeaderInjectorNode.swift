public import HTTPTypes

/// Gives every request the same header fields (locale, client version); the request's own fields win.
public struct HeaderInjectorNode: Node {
    private let headerFields: HTTPFields

    public init(_ headerFields: HTTPFields) {
        // Set, not added: what a draft without fields of its own would come to hold.
        var injected = HTTPFields()
        for field in headerFields where injected[field.name] == nil {
            injected[field.name] = headerFields[field.name]
        }
        self.headerFields = injected
    }

    public func process(_ input: RequestDraft, _ context: ChainContext) async throws(Failure) -> RequestDraft {
        var draft = input
        guard !input.headerFields.isEmpty else {
            draft.headerFields = headerFields
            return draft
        }
        for field in headerFields where !input.headerFields.contains(field.name) {
            draft.headerFields.append(field)
        }
        return draft
    }
}
