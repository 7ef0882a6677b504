public import SidingCredentials

extension SignIns {
    /// `source` with what keeps its requests signed in; unchanged where its authorization gets no tokens.
    public func signedIn(_ source: Source) -> Source {
        var source = source
        source.authorization = signedIn(
            source.authorization, of: source.name, at: source.baseURL, headerFields: source.headerFields,
            source.transport)
        return source
    }
}
