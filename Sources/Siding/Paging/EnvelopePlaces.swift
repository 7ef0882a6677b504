internal import SidingJSON
internal import HTTPTypes

/// The usual places where APIs name the next page.
enum EnvelopePlaces {
    /// Places of a next URL, in the order of lookup.
    static let nextURLs: [JSONPath] = [
        JSONPath(members: ["next"]), JSONPath(members: ["links", "next"]),
        JSONPath(members: ["links", "next", "href"]), JSONPath(members: ["_links", "next", "href"]),
        JSONPath(members: ["paging", "next"]), JSONPath(members: ["pagination", "next"]),
        JSONPath(members: ["@odata.nextLink"]), JSONPath(members: ["next_page"]), JSONPath(members: ["next_url"]),
        JSONPath(members: ["nextLink"]),
    ]

    /// Places of a cursor, and the query parameter that usually carries it back.
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

    /// Members whose `true` reports more pages, without naming the next.
    static let truthsOfMore: [JSONPath] = ["has_more", "hasMore", "more"].map { JSONPath(member: $0) }

    /// Members with the number of the next page, but not the parameter that takes it.
    static let pageNumbers: [JSONPath] = ["next_page", "nextPage"].map { JSONPath(member: $0) }

    /// Header fields that name the next page.
    static let nextHeaders = ["Next-Page", "X-Next-Page"].compactMap { HTTPField.Name($0) }
}
