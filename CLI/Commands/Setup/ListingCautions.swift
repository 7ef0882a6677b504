// SPDX-License-Identifier: Apache-2.0
import Siding
import SidingChain
import SidingJSON
import SidingPaging
import SidingSchedule

extension AnyResource {
    /// What a listing of this resource cannot keep safe by itself, and what to declare; for `siding check`.
    ///
    /// The rules of listings are those of the table of safe configurations in Docs/Config.md.
    var cautions: [String] {
        var cautions = MachineZone.caution(for: schedule).map { [$0] } ?? []
        if let cursor {
            if paging.isNumbered {
                cautions.append(
                    "a record that changes during a listing moves to another page, and the records behind it move up: changes "
                        + "between two numbered pages can be missed. Page by link or token if the origin can, and run "
                        + "'siding sync \(name) --full' now and then")
            } else if cursor.isOfRecords, cursor.order == nil,
                !(asksUntil && cursor.type.isTime && cursor.direction == .max)
            {
                cautions.append(
                    "neither the order of the changes nor the end of a listing is declared: changes during a listing can "
                        + "be missed. Declare 'order' if the origin sorts by \(cursor), or send {until} as the end")
            }
        }
        return cautions + (deletions.byAbsence ? cautionsOfDeletions : [])
    }

    private var cautionsOfDeletions: [String] {
        var cautions: [String] = []
        if let most = stop.maxPages {
            cautions.append(
                "a listing that reaches 'max_pages' (\(most)) is incomplete, and deletes nothing. Leave 'max_pages' out if "
                    + "deletions matter")
        }
        guard deletions.recordPath == nil else { return cautions }
        if records == .lines {
            cautions.append(
                "an answer of lines does not show whether it is complete: if it breaks off after a whole line, the other records "
                    + "count as missing, and can be deleted. Declare 'verify'")
        }
        if stop.trustsEnd {
            cautions.append(
                "'trust_end' treats any page without a next one as the last: if the origin drops a link, live records can "
                    + "be deleted. Declare 'verify', or the rule for the next page instead of 'trust_end'")
        }
        if let sort = changingOrder {
            cautions.append(
                "\(sort) is an order that changes when records do, so a live record can be missing from all listings, and would "
                    + "be deleted. Sort by a member that never changes, or declare 'verify'")
        } else if paging.isNumbered {
            cautions.append(
                "records move between numbered pages while others come and go: one that every listing misses at the border of "
                    + "two pages would be deleted although it lives. "
                    + (isStable
                        ? "Leave 'stable' out, and declare" : "Page by link or token if the origin can, or declare")
                    + " 'verify'")
        }
        return cautions
    }

    /// The parameter of the query or the body that sorts by a member that changes, or puts the newest first; nil if none does.
    private var changingOrder: String? {
        let url = (try? source.baseURL.appending(path: path))?.appending(encodedQuery: queryEncoding.encode(query))
        let inQuery = (url?.queryParameters ?? []).map { parameter in
            (parameter.name, HTTPURL.decode(parameter.value.map(String.init) ?? ""))
        }
        return (inQuery + (body?.members ?? [:]).flatMap(Self.texts)).lazy.compactMap { name, value -> String? in
            let isSort = ["sort", "order"].contains { name.lowercased().contains($0) }
            return isSort && Self.changes(value) ? PlainText.oneLine("\(name)=\(value)", limit: 60) : nil
        }.first
    }

    /// The texts in a member of a body, and the names of members, each with the names on the way to it.
    private static func texts(_ name: String, _ value: QueryValue) -> [(String, String)] {
        switch value {
        case .string(let text): [(name, text)]
        case .array(let values): values.flatMap { texts(name, $0) }
        case .object(let members): members.flatMap { [(name, $0.key)] + texts("\(name).\($0.key)", $0.value) }
        case .int, .double, .bool, .null: []
        }
    }

    /// Whether an order of this name changes while a listing is read.
    private static func changes(_ order: String) -> Bool {
        var words: [String] = [""]
        var before: Character = " "
        for character in order {
            if !character.isLetter || (character.isUppercase && before.isLowercase) { words.append("") }
            if character.isLetter { words[words.count - 1] += character.lowercased() }
            before = character
        }
        return words.contains { word in
            ["new", "newest", "latest", "hot", "top", "best"].contains(word)
                || ["edit", "vote", "score", "rank", "popul", "trend", "recent", "view", "seen"].contains(
                    where: word.hasPrefix)
                || ["updat", "modif", "chang", "activ"].contains(where: word.contains)
        }
    }
}
