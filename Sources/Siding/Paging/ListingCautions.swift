internal import SidingChain
internal import SidingJSON
internal import SidingPaging

extension AnyResource {
    /// What a listing of this resource cannot keep safe by itself, and what to declare; for `siding check`.
    ///
    /// The rules are those of the tables in Docs/Config.md.
    package var cautions: [String] {
        var cautions: [String] = []
        if let cursor, cursor.isOfRecords {
            if paging.isNumbered {
                cautions.append(
                    "a record that changes during a listing leaves its page, and the records behind it move up: changes "
                        + "between two numbered pages can be missed. Page by link or token if the origin can, and run "
                        + "'siding sync \(name) --full' now and then")
            } else if cursor.order == nil, !(asksUntil && cursor.type.isTime && cursor.direction == .max) {
                cautions.append(
                    "nothing says in which order the changes come, nor where a listing ends: changes during a listing can "
                        + "be missed. Declare 'order' if the origin sorts by \(cursor), or send {until} as the end")
            }
        }
        guard deletions.byAbsence else { return cautions }
        if let most = stop.maxPages {
            cautions.append(
                "a listing that reaches 'max_pages' (\(most)) is incomplete, and deletes nothing. Leave 'max_pages' out if "
                    + "deletions matter")
        }
        guard deletions.recordPath == nil else { return cautions }
        if records == .lines {
            cautions.append(
                "lines have no end of their own: where the origin stops behind a whole line, the records that it leaves out "
                    + "count as missing, and can be deleted. Declare 'verify'")
        }
        if stop.trustsEnd {
            cautions.append(
                "'trust_end' takes any page without a next one for the last: if the origin drops a link, records that live can "
                    + "be deleted. Declare 'verify', or the rule for the next page instead of 'trust_end'")
        }
        if let sort = changingOrder {
            cautions.append(
                "\(sort) sorts by a member that changes, so a record that changes during each listing can be missing from "
                    + "all of them, and would be deleted. Sort by a member that never changes, or declare 'verify'")
        } else if isStable, paging.isNumbered {
            cautions.append(
                "'stable' says that records never move between pages, but between numbered pages they do: a record that "
                    + "lives can be deleted. Leave 'stable' out, or declare 'verify'")
        }
        return cautions
    }

    /// The query parameter that sorts by a member that changes; nil if none does.
    private var changingOrder: String? {
        let url = (try? source.baseURL.appending(path: path))?.appending(encodedQuery: queryEncoding.encode(query))
        return url?.queryParameters.first { parameter in
            let (name, value) = (parameter.name.lowercased(), parameter.value?.lowercased() ?? "")
            return ["sort", "order"].contains { name.contains($0) }
                && ["updat", "modif", "chang"].contains { value.contains($0) }
        }.map { PlainText.oneLine(String($0.text), limit: 60) }
    }
}
