// SPDX-License-Identifier: Apache-2.0
package import SidingChain
internal import SidingJSON

/// The `paginate:` line that follows the pages of an answer, with the parameters that the answer and the request show: for an origin whose
/// next pages `auto` does not find, and for `siding init`.
package struct PagingSuggestion: CustomStringConvertible {
    /// The value of `paginate`; nil if the answer names a next page in a way that no value follows.
    package let rule: String?
    /// The same value with the page size that the answer reports, for who wants larger pages; nil if it reports none, the request has a
    /// size, or the rule takes none. Whether the origin reads the parameter is not known.
    package let sizedRule: String?
    /// Where the answer names its next page; nil if it only shows that there is one.
    package let evidence: String?
    /// What to check in the value; nil if the answer and the request show all of it.
    package let caution: String?
    /// The query parameters of the request that the rule sets: which page it is, and its size if the rule has one. The `path` of a
    /// listing that starts at the first page leaves them out.
    package let parameters: Set<String>

    package init(url: HTTPURL, answer: PageAnswer, extent: ListingExtent) {
        self = PagingInference(url: url, answer: answer, extent: extent).suggestion
    }

    fileprivate init(
        _ rule: String?, sized sizedRule: String? = nil, evidence: String? = nil, caution: String? = nil,
        parameters: Set<String> = []
    ) {
        (self.rule, self.sizedRule, self.evidence) = (rule, sizedRule, evidence)
        (self.caution, self.parameters) = (caution, parameters)
    }

    package var line: String { "paginate: \(rule ?? "{ type: page | offset | cursor | next_url, … }")" }

    package var description: String { line + (caution.map { " (\($0))" } ?? "") }
}

/// Infers the rule from the next page that an answer names, else from its numbers.
private struct PagingInference {
    /// The URL that the page was requested at.
    let url: HTTPURL
    let answer: PageAnswer
    let extent: ListingExtent

    var suggestion: PagingSuggestion {
        let nextPages = extent.nextPages.sorted { $0.isCertain && !$1.isCertain }
        // The place in a list of links changes from page to page.
        if let reference = nextPages.first(where: { $0.kind == .url && !$0.isElement }) {
            let member =
                switch reference.place {
                case .body(let path): "path: \(quoted(path.description))"
                case .header(let name): "header: \(name)"
                }
            return PagingSuggestion(
                "{ type: next_url, \(member) }", evidence: "\(reference.place) has the URL of the next page",
                parameters: position(before: reference.text))
        }
        if let link = answer.link() {
            return PagingSuggestion(
                "link_header", sized: sized("{ type: link_header }"),
                evidence: "the header field Link names the next page", parameters: position(before: link))
        }
        if let reference = nextPages.first(where: { $0.kind == .token || ($0.kind == .number && $0.isToken) }) {
            return token(reference)
        }
        if let offset { return offsets(named: offset) }
        if let reference = nextPages.first(where: { $0.kind == .number }) {
            return numbers(evidence: "\(reference.place) has the number of the next page")
        }
        if extent.pages != nil || extent.number != nil { return numbers() }
        guard let reference = nextPages.first(where: { $0.kind == .url }) else { return guess }
        return PagingSuggestion(
            nil, evidence: "\(reference.place) has the URL of the next page",
            parameters: position(before: reference.text))
    }

    /// The query parameters that the address of the next page has with another value. A page size is none: an origin may have a lower
    /// maximum.
    private func position(before next: String) -> Set<String> {
        let following = (try? (answer.url ?? url).resolve(next))?.queryParameters ?? []
        let changed = url.queryParameters.filter { asked in
            let values = following.filter { $0.name == asked.name }.map(\.decodedValue)
            return !values.isEmpty && !values.contains(asked.decodedValue) && asked.name != self.asked?.name
        }
        return Set(changed.map(\.name))
    }

    /// Numbers of pages, as the answer does not show how they follow; offsets beside a limit.
    private var guess: PagingSuggestion {
        let isByRecords = size.map { ExtentName($0.name).means(.limit) } ?? false
        let caution = "check the names of the parameters"
        return isByRecords ? offsets(named: "offset", caution: caution) : numbers(caution: caution)
    }

    private func token(_ reference: NextPageReference) -> PagingSuggestion {
        let (place, parameter) =
            switch reference.place {
            case .header(let name): ("type: header_cursor, header: \(name)", "cursor")
            case .body(let path): ("type: cursor, path: \(quoted(path.description))", parameter(of: path))
            }
        let rule = "{ \(place), param: \(scalar(parameter)) }"
        // A token of a header field has no size beside it.
        let sizedRule = place.hasPrefix("type: cursor") ? sized(rule) : nil
        return PagingSuggestion(
            rule, sized: sizedRule, evidence: "\(reference.place) has a token of the next page",
            caution: "with the parameter that the origin reads the token from", parameters: [parameter])
    }

    /// The usual one; else `page_token` for `next_page_token`, `pageToken` for `nextPageToken`.
    private func parameter(of path: JSONPath) -> String {
        if let usual = EnvelopePlaces.cursors.first(where: { $0.path == path })?.parameter { return usual }
        guard case .member(let name)? = path.components.last else { return "cursor" }
        let rest = name.drop { $0 == "_" || $0 == "@" }
        guard rest.lowercased().hasPrefix("next") else { return String(rest) }
        let bare = rest.dropFirst(4).drop { $0 == "_" || $0 == "-" }
        return bare.isEmpty ? "cursor" : bare.prefix(1).lowercased() + bare.dropFirst()
    }

    private var offset: String? {
        url.queryParameters.first { ExtentName($0.name).means(.offset) }?.name ?? extent.offset?.place
    }

    private func offsets(named name: String, caution: String? = nil) -> PagingSuggestion {
        // SCIM and OpenSearch count from 1.
        let start = extent.offset.map { $0.count == 1 ? ", start: 1" : "" } ?? ""
        let (limit, most) = size ?? ("limit", answer.recordCount)
        return PagingSuggestion(
            "{ type: offset, param: \(scalar(name)), limit_param: \(scalar(limit)), limit: \(most)\(start) }",
            caution: caution, parameters: [name, limit])
    }

    private func numbers(evidence: String? = nil, caution: String? = nil) -> PagingSuggestion {
        let name = url.queryParameters.first { ExtentName($0.name).means(.pageNumber) }?.name ?? "page"
        let askedSize = asked.map { ", size_param: \(scalar($0.name)), size: \($0.size)" } ?? ""
        let start = extent.number?.count == 0 ? ", start: 0" : ""
        let rule = "{ type: page, param: \(scalar(name))\(askedSize)\(start) }"
        return PagingSuggestion(
            rule, sized: sized(rule), evidence: evidence, caution: caution,
            parameters: Set([name, asked?.name].compactMap(\.self)))
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

    /// A rule with the page size that the answer reports, in a parameter of the reported name.
    private func sized(_ rule: String) -> String? {
        guard asked == nil, let report = extent.size, report.count > 0 else { return nil }
        let isField = !report.place.hasPrefix("$")
        let member = (try? JSONPath(parsing: report.place))?.components.last
        guard case .member(let name)? = isField ? .member(Self.parameter(ofField: report.place)) : member else {
            return nil
        }
        return rule.dropLast(2) + ", size_param: \(scalar(name)), size: \(report.count) }"
    }

    /// `per_page` for `X-Per-Page`.
    private static func parameter(ofField name: String) -> String {
        let words = name.lowercased().split { $0 == "-" || $0 == "_" }
        return (words.first == "x" ? words.dropFirst() : words[...]).joined(separator: "_")
    }

    /// A name as YAML takes it inside braces, such as `'page[size]'`.
    private func scalar(_ name: String) -> String {
        let isPlain =
            name.utf8.first.map { $0 == UInt8(ascii: "$") || $0 == UInt8(ascii: "_") || Self.isLetter($0) } ?? false
            && name.utf8.allSatisfy { Self.isLetter($0) || "$_.-0123456789".utf8.contains($0) }
        return isPlain ? name : quoted(name)
    }

    /// A text in single quotes, as YAML takes it.
    private func quoted(_ text: String) -> String { "'\(text.escaping(["'": "''"]))'" }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
}
