// SPDX-License-Identifier: Apache-2.0
import Siding
import SidingChain
import SidingJSON
import SidingPaging

extension AnyResource {
    /// Valid keys of this resource that do not do what they seem to, and what to declare instead; for `siding check`.
    ///
    /// - Parameter resources: all resources of the config.
    func ineffectiveKeys(among resources: [AnyResource]) -> [String] {
        let parent = resources.first { $0.name == forEach?.resource }
        return partialListings(of: parent) + computedMembers + unboundNames(of: parent) + fineLookback
            + literalVariables
    }

    // MARK: Deletions that no listing can prove

    private func partialListings(of parent: AnyResource?) -> [String] {
        guard deletions.byAbsence else { return [] }
        if cursor?.start != nil {
            return [
                "each listing begins at 'cursor.start', also with --full, so none asks for all records, and 'detect: "
                    + "complete_listing' deletes nothing. Leave 'start' out if the origin lists everything without it; else "
                    + "only a mark ('deletes.field') can delete records"
            ]
        }
        guard let parent, parent.cursor?.start != nil else { return [] }
        return [
            "'\(parent.name)' is listed from its 'cursor.start' on, also with --full, so some parents may not be stored, and "
                + "'detect: complete_listing' deletes nothing here. Leave 'start' of '\(parent.name)' out if the origin lists "
                + "everything without it; else only a mark ('deletes.field') can delete records"
        ]
    }

    // MARK: Names that are columns, not members

    private var computedMembers: [String] {
        var uses = key.map { ("key", $0) }
        if case .record(let path)? = cursor?.place { uses.append(("cursor.path", path)) }
        if let mark = deletions.mark { uses.append(("deletes.field", mark.path)) }
        return uses.compactMap { place, path in
            schema.transforms.computed.first { path == JSONPath(member: $0.name) }.map { column in
                "'\(place)' is '\(column.name)', which 'set' computes for the view only: it is read from the record as the origin "
                    + "sends it. Name a member that the records have"
            }
        }
    }

    private func unboundNames(of parent: AnyResource?) -> [String] {
        guard let parent, let forEach else { return [] }
        let computed = parent.schema.transforms.computed.map(\.name)
        return forEach.bindings.sorted { $0.key < $1.key }.compactMap { _, path in
            guard case .member(let name)? = path.components.first,
                name.hasPrefix("siding_") || (path.components.count == 1 && computed.contains(name))
            else { return nil }
            return
                "'bind' takes '\(name)', a column of the view '\(parent.name)' that its records do not have: parents without it "
                + "are skipped. Name a member of the records"
        }
    }

    // MARK: Values

    /// A cursor that is coarser than its lookback.
    private var fineLookback: [String] {
        guard let cursor, case .time(let lookback)? = cursor.lookback,
            let coarse = [cursor.format, cursor.type].compactMap(\.self).first(where: {
                $0.isTime && $0.unit > lookback
            })
        else { return [] }
        let unit = MessageFormat.duration(coarse.unit)
        return [
            "'lookback: \(MessageFormat.duration(lookback))' is shorter than the unit of the cursor: as '\(coarse.rawValue)' requests "
                + "are exact to \(unit) only, so a listing begins up to \(unit) earlier. Declare a lookback of \(unit) or more"
        ]
    }

    /// Maps that look like variables, and are sent as they are.
    private var literalVariables: [String] {
        let members = query.map { ("query.\($0)", $1) } + (body?.members ?? [:]).map { ("body.\($0)", $1) }
        return members.sorted { $0.0 < $1.0 }.compactMap { place, value in
            guard case .object(let map) = value, map.count == 1, case .string(let name)? = map["env"],
                name.wholeMatch(of: /[A-Z][A-Z0-9_]*/) != nil
            else { return nil }
            return
                "'\(place)' is sent as the map { env: \(name) }: only secrets, such as those of 'auth', are read from the "
                + "environment. Write the value itself"
        }
    }
}
