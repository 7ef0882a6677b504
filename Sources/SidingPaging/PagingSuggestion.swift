package import SidingChain
internal import SidingJSON

/// The `paginate:` line for an origin whose next pages `auto` does not find. Its parameters are those that the answer and the request show.
package struct PagingSuggestion: CustomStringConvertible {
    /// The URL that the page was requested at.
    private let url: HTTPURL
    private let answer: PageAnswer
    private let extent: ListingExtent

    package init(url: HTTPURL, answer: PageAnswer, extent: ListingExtent) {
        (self.url, self.answer, self.extent) = (url, answer, extent)
    }

    package var description: String {
        let leads = extent.leads.sorted { $0.isCertain && !$1.isCertain }
        // The place in a list of links changes from page to page.
        if let place = leads.first(where: { $0.kind == .url && !$0.place.isInLinks })?.place {
            return switch place {
            case .body(let path): "paginate: { type: next_url, path: '\(path)' }"
            case .header(let name): "paginate: { type: next_url, header: \(name) }"
            }
        }
        if answer.link() != nil { return "paginate: link_header" }
        if let lead = leads.first(where: { $0.kind == .token || ($0.kind == .number && $0.isNamedToken) }) {
            return token(lead)
        }
        if let offset { return offset }
        if extent.pages != nil || extent.number != nil || leads.contains(where: { $0.kind == .number }) {
            return number
        }
        return leads.contains { $0.kind == .url } ? "paginate: { type: page | offset | cursor | next_url, … }" : guess
    }

    /// Numbers of pages, as the answer does not show how they follow; offsets beside a limit.
    private var guess: String {
        let isByRecords = size.map { ListingExtent.isLimit($0.name) } ?? false
        return (isByRecords ? offsets(named: "offset") : number) + " (check the names of the parameters)"
    }

    private func token(_ lead: ListingExtent.Lead) -> String {
        let hint = "(with the parameter that the origin reads the token from)"
        switch lead.place {
        case .header(let name):
            return "paginate: { type: header_cursor, header: \(name), param: cursor } \(hint)"
        case .body(let path):
            return "paginate: { type: cursor, path: '\(path)', param: \(parameter(of: path)) } \(hint)"
        }
    }

    /// `page_token` for `next_page_token`, `pageToken` for `nextPageToken`.
    private func parameter(of path: JSONPath) -> String {
        guard case .member(let name)? = path.components.last else { return "cursor" }
        let rest = name.drop { $0 == "_" || $0 == "@" }
        guard rest.lowercased().hasPrefix("next") else { return String(rest) }
        let bare = rest.dropFirst(4).drop { $0 == "_" || $0 == "-" }
        return bare.isEmpty ? "cursor" : bare.prefix(1).lowercased() + bare.dropFirst()
    }

    private var offset: String? {
        let asked = url.queryParameters.first { ListingExtent.isOffset($0.name) }?.name
        return (asked ?? extent.offset?.place).map(offsets)
    }

    private func offsets(named name: String) -> String {
        // SCIM and OpenSearch count from 1.
        let start = extent.offset.map { $0.count == 1 ? ", start: 1" : "" } ?? ""
        let (limit, most) = size ?? ("limit", answer.recordCount)
        return "paginate: { type: offset, param: \(name), limit_param: \(limit), limit: \(most)\(start) }"
    }

    private var number: String {
        let name = url.queryParameters.first { ListingExtent.isPageNumber($0.name) }?.name ?? "page"
        let sized = asked.map { ", size_param: \($0.name), size: \($0.size)" } ?? ""
        let start = extent.number?.count == 0 ? ", start: 0" : ""
        return "paginate: { type: page, param: \(name)\(sized)\(start) }"
    }

    /// The page size that was requested, else the one that the answer reports.
    private var size: (name: String, size: Int)? {
        asked
            ?? extent.size.map { ($0.count, $0) }.flatMap { count, report in
                count > 0 ? ("limit", max(count, answer.recordCount)) : nil
            }
    }

    /// The page size that was requested, by the parameter whose name says so most clearly.
    private var asked: (name: String, size: Int)? { url.askedPageSize ?? answer.askedPageSizes(at: url).first }
}

extension ListingExtent.Lead {
    /// Whether its name says that a number is a token, rather than that of a page.
    fileprivate var isNamedToken: Bool {
        ["token", "cursor", "continuation", "evaluated"].contains { place.description.lowercased().contains($0) }
    }
}

extension ListingExtent.Lead.Place {
    /// Whether it leads into an array of links of all relations.
    fileprivate var isInLinks: Bool {
        guard case .body(let path) = self else { return false }
        let components = path.components
        guard let index = components.firstIndex(where: { if case .index = $0 { true } else { false } }), index > 0,
            case .member(let name) = components[index - 1]
        else { return false }
        return !name.lowercased().contains("next")
    }
}
