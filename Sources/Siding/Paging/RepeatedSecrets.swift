internal import SidingChain

/// The credentials of a source that an origin may repeat in what leads to a next page, from which they must not come into the
/// store.
struct RepeatedSecrets: Sendable {
    /// Query parameters that carry credentials.
    private let names: Set<String>
    /// Credentials that count where they are a whole value.
    private let whole: Set<String>
    /// Credentials that count wherever they stand.
    private let anywhere: [String]

    /// Shorter ones would be found inside of texts that mean something else.
    private static let shortest = 8

    /// - Parameters:
    ///   - values: the credentials that went out.
    ///   - page: the page whose answer leads on. What the request for it says by itself is no secret, though a credential
    ///     may be spelt alike: it is of the config, or a value of a parent.
    init(_ values: Set<String>, named names: Set<String>, askedFor page: PageRequest) {
        self.names = names
        let written = page.url.queryParameters.compactMap { $0.value.map { HTTPURL.decode(String($0)) } }
        let segments = page.url.path.split(separator: "/").map { HTTPURL.decode(String($0)) }
        whole = values.subtracting(written + segments)
        let own = page.url.description + (page.body ?? "")
        anywhere = values.filter { $0.utf8.count >= Self.shortest && !Self.holds(own, $0) }
    }

    /// `url` without the query parameters that repeat one in their value, in a part of it, or in their name.
    ///
    /// - Throws: a fault of the answer where one stands elsewhere, such as in the path: nothing can be taken out of that.
    func removed(from url: HTTPURL) throws(Failure) -> HTTPURL {
        let clean = url.removingQuery(named: names, valued: whole)
        guard holdsOne(clean.description) else { return clean }
        let kept = clean.queryParameters.map(\.text).filter { !holdsOne(String($0)) }
        let rest = clean.with(query: kept.isEmpty ? nil : kept.joined(separator: "&"))
        guard !holdsOne(rest.description) else { throw Self.fault("path") }
        return rest
    }

    /// - Throws: a fault of the answer where one stands in `body`, into which a token of the answer goes.
    func check(_ body: String?) throws(Failure) {
        guard let body, holdsOne(body) else { return }
        throw Self.fault("body")
    }

    private static func fault(_ place: String) -> Failure {
        Failure(
            .contract, phase: .answered,
            detail:
                "the request for the next page would repeat a credential of the source in its \(place): it is not sent, "
                + "and not stored")
    }

    private func holdsOne(_ text: String) -> Bool { anywhere.contains { Self.holds(text, $0) } }

    /// Whether `secret` stands in `text`, as it is or percent-encoded.
    static func holds(_ text: String, _ secret: String) -> Bool {
        // In a path a plus is itself, in a query a space. Where a reference has what no URL may, its percent signs are encoded anew.
        let decoded = HTTPURL.decode(text)
        let spellings = [
            text, decoded, HTTPURL.decode(text.replacing("+", with: "%2B")), HTTPURL.decode(decoded),
        ]
        return spellings.contains { $0.utf8.firstRange(of: secret.utf8) != nil }
    }
}
