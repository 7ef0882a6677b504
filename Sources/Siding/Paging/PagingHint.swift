// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import SidingChain
internal import SidingJSON

/// What to declare as `paginate`, by what a run saw of the origin.
enum PagingHint {
    /// For a later page that the origin refused; nil if nothing suggests another rule.
    ///
    /// - Parameter hasUnusedLink: whether pages before it had a `Link` to the next one, which the rule does not follow.
    static func text(for failed: PageFailure, by paging: Paging, hasUnusedLink: Bool) -> String? {
        guard failed.failure.isOfRequest, failed.page.number > 1 else { return nil }
        if let text = text(forAddressIn: failed.page, by: paging) { return text }
        guard hasUnusedLink else { return nil }
        return "the pages before it had a Link to their next page: declare paginate: link_header"
    }

    /// For a request that carries an address in place of a token; nil for any other.
    static func text(forAddressIn request: PageRequest, by paging: Paging) -> String? {
        let (place, parameter): (String, Paging.Parameter)
        switch paging {
        case .cursor(let path, let name): (place, parameter) = ("path: '\(path)'", name)
        case .headerCursor(let field, let name): (place, parameter) = ("header: \(field.rawName)", name)
        case .automatic, .none, .linkHeader, .nextURL, .lastRecord, .page, .offset, .nextHeader: return nil
        }
        guard case .query(let name) = parameter,
            let token = request.url.queryParameters.last(where: { $0.name == name })?.decodedValue,
            // A token may begin with a slash as well.
            ["http://", "https://"].contains(where: token.hasPrefix) || (token.hasPrefix("/") && token.contains("?"))
        else { return nil }
        return "the token of the next page is an address: declare paginate: { type: next_url, \(place) }"
    }
}
