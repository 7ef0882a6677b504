// SPDX-License-Identifier: Apache-2.0
/// Converts the `stop_condition` of a CursorPagination to `stop`.
struct AirbyteStop {
    private let stop: InputNode
    private let token: AirbyteAccess
    private let text: String

    /// - Parameter token: the token of the next page.
    init(_ stop: InputNode, token: AirbyteAccess) {
        (self.stop, self.token) = (stop, token)
        let inside = (stop.text?.inBraces ?? "").trimmingSpaces
        text = inside.utf8.count <= 1000 ? inside : ""
    }

    func add(to resource: inout ImportedResource, _ imported: inout ImportedConfig) {
        // The condition never holds, or only tests the token: a listing ends anyway without a next page.
        if text.lowercased() == "false" || isMissingToken { return }
        if text.contains("last_page_size") || text.contains("last_records") {
            return addSize(&imported)
        }
        if let (access, isTrue) = condition {
            let isToken = access.root == token.root && token.keys.starts(with: access.keys)
            if isToken, !isTrue { return }
            if !isToken, access.root == "response", let path = access.path {
                let node = ConfigNode.text(path, from: stop.origin)
                if isTrue { resource.isLast = node } else { resource.hasMore = node }
                return
            }
        }
        // A condition on headers, whose next link is the token: without one there is no next page.
        if token.root == "headers", text.contains("headers") { return }
        noteUnsupported(&imported)
    }

    /// Whether the condition is that the token is missing: `'next' not in response.links`.
    private var isMissingToken: Bool {
        guard let missing = AirbytePredicate(text), missing.isPart, missing.isNegated else { return false }
        return missing.access.root == token.root && token.keys.starts(with: missing.access.keys + [missing.text])
    }

    /// The condition on one member, such as `response.done`, `not response.more` or `response.more == false`. `isTrue` means that
    /// the listing ends if the member is true, otherwise if it is false or missing.
    private var condition: (access: AirbyteAccess, isTrue: Bool)? {
        let whole =
            /(not\s+)?(.+?)(?:(?:\s*(==|!=)\s*|\s+(is\s+not|is)\s+)([Ff]alse|[Tt]rue|[Nn]one|null|''|""|(?:not\s+)?defined))?/
        guard let match = text.wholeMatch(of: whole),
            let access = AirbyteAccess(String(match.output.2).withoutParentheses)
        else { return nil }
        let isTurned = match.output.3 != nil ? match.output.3 == "!=" : (match.output.4 ?? "is") != "is"
        let isNegated = (match.output.1 != nil) != isTurned
        switch match.output.5?.lowercased() {
        case nil, "true": return (access, !isNegated)
        case "defined": return isNegated ? (access, false) : nil
        // A value that is not false, or not null, need not be true.
        default: return isNegated ? nil : (access, false)
        }
    }

    /// Handles a condition on the number of records in the page.
    private func addSize(_ imported: inout ImportedConfig) {
        let simple =
            /not\s+last_records|last_records\s*==\s*\[\s*\]|\(?\s*(?:last_page_size|last_records\s*\|\s*(?:length|count))\s*\)?\s*(?:==|<=?)\s*[^\s<>=]+/
        guard text.wholeMatch(of: simple) != nil else { return noteUnsupported(&imported) }
        // Paging by the last record ends with an empty page, and a short page leads there.
        if token.root == "last_record" { return }
        imported.noteUnsupported(
            stop.origin,
            "the number of records on a page does not end a listing: it continues while the origin names a next page, "
                + "also after an empty one",
            hint: "if the origin always names one, write 'stop' with 'max_pages', or with a member of the answer")
    }

    private func noteUnsupported(_ imported: inout ImportedConfig) {
        imported.noteUnsupported(
            stop.origin, "the import supports only a condition on a member that is true or false",
            hint: "the listing ends when the origin names no next page; otherwise write 'stop' by hand")
    }
}

extension String {
    /// The text without the parentheses around the whole of it.
    fileprivate var withoutParentheses: String {
        let text = trimmingSpaces
        return text.hasPrefix("(") && text.hasSuffix(")") ? String(text.dropFirst().dropLast()) : text
    }
}
