package import Siding
internal import SidingChain

/// A search that shows the best matches.
package struct RecordSearch {
    package let resource: String
    package let text: TextSearch.Text
    /// The maximum number of matches, less than `Int.max`.
    package let limit: Int

    package init(resource: String, text: TextSearch.Text, limit: Int) {
        (self.resource, self.text, self.limit) = (resource, text, limit)
    }

    package struct Found {
        package var hits: [SearchHitText]
        package var hasRecords: Bool
        /// Whether more records match than are shown.
        package var hasMore = false

        package func remark(of search: RecordSearch) -> String? {
            if !hasRecords { return "'\(search.resource)' has no records" }
            if hits.isEmpty { return "no record of '\(search.resource)' matches" }
            return hasMore ? "more records match; --limit 0 shows all" : nil
        }
    }

    package func find(in store: Store) async throws -> Found {
        guard try await store.count(of: resource).count > 0 else { return Found(hits: [], hasRecords: false) }
        let style = SearchHitText.unforgeableStyle()
        let matches = try await store.search(
            TextSearch(
                of: resource, fields: try await store.textMembers(of: resource), text: text, limit: limit + 1,
                snippet: style))
        let hits = matches.prefix(limit).map { SearchHitText($0, style) }
        return Found(hits: hits, hasRecords: true, hasMore: matches.count > limit)
    }
}
