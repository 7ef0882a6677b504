internal import SidingJSON
internal import HTTPTypes

/// The places in an answer's envelope where APIs keep the way to the next page.
enum EnvelopePlaces {
    /// A next URL, in the order in which they are looked at.
    static let nextURLs: [JSONPath] = [
        JSONPath(members: ["next"]), JSONPath(members: ["links", "next"]),
        JSONPath(members: ["links", "next", "href"]), JSONPath(members: ["_links", "next", "href"]),
        JSONPath(members: ["paging", "next"]), JSONPath(members: ["pagination", "next"]),
        JSONPath(members: ["@odata.nextLink"]), JSONPath(members: ["next_page"]), JSONPath(members: ["next_url"]),
        JSONPath(members: ["nextLink"]),
    ]

    /// A cursor, and the query parameter that usually carries it back.
    static let cursors: [(path: JSONPath, parameter: String)] = [
        (JSONPath(members: ["next_cursor"]), "cursor"),
        (JSONPath(members: ["nextCursor"]), "cursor"),
        (JSONPath(members: ["meta", "next_cursor"]), "cursor"),
        (JSONPath(members: ["response_metadata", "next_cursor"]), "cursor"),
        (JSONPath(members: ["pagination", "next_cursor"]), "cursor"),
        (JSONPath(members: ["next_page_token"]), "page_token"),
        (JSONPath(members: ["nextPageToken"]), "pageToken"),
        (JSONPath(members: ["paging", "next", "after"]), "after"),
        (JSONPath(members: ["paging", "cursors", "after"]), "after"),
        (JSONPath(members: ["meta", "after_cursor"]), "page[after]"),
        (JSONPath(members: ["continuationToken"]), "continuationToken"),
    ]

    /// Where an answer says by `true` that there is more, without saying where.
    static let truthsOfMore: [JSONPath] = ["has_more", "hasMore", "more"].map { JSONPath(member: $0) }

    /// Where an answer says the number of the next page, without saying in which parameter it goes.
    static let pageNumbers: [JSONPath] = ["next_page", "nextPage"].map { JSONPath(member: $0) }

    /// The header fields that name the next page.
    static let nextHeaders = ["Next-Page", "X-Next-Page"].compactMap { HTTPField.Name($0) }
}
