// SPDX-License-Identifier: Apache-2.0
package import Siding
internal import SidingChain
internal import SidingJSON

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
        package var searched = TextMembers()

        package func remark(of search: RecordSearch) -> String? {
            if !hasRecords { return "'\(search.resource)' has no records" }
            if hits.isEmpty { return "no record of '\(search.resource)' matches; \(coverage)" }
            return hasMore ? "more records match; --limit 0 shows all" : nil
        }

        /// What was searched, as a text that is elsewhere is not found.
        private var coverage: String {
            let more = searched.names.count - Self.mostNames
            let names = searched.names.prefix(Self.mostNames).map { PlainText.oneLine($0, limit: 60) }
            let all = names.joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
            return "searched \(all)" + (searched.areDeclared ? ", its columns of type text" : "")
        }

        private static let mostNames = 20
    }

    package func find(in store: Store) async throws -> Found {
        guard try await store.count(of: resource).count > 0 else { return Found(hits: [], hasRecords: false) }
        let style = SearchHitText.unforgeableStyle()
        let members = try await store.textMembers(of: resource)
        let matches = try await store.search(
            TextSearch(
                of: resource, fields: members.paths, text: text, limit: limit + 1,
                snippet: style))
        let hits = matches.prefix(limit).map { SearchHitText($0, style) }
        return Found(hits: hits, hasRecords: true, hasMore: matches.count > limit, searched: members)
    }
}
