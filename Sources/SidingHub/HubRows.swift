// SPDX-License-Identifier: Apache-2.0
internal import Siding
internal import SidingChain

/// The rows of a batch as the arrays that the hub gets, and what did not fit.
struct HubRows {
    /// One array for each column behind the station.
    private(set) var arrays: [[String?]]
    /// How many values did not fit, by the names of their columns. A record whose key does not fit is left out.
    private(set) var misfits: [String: Int] = [:]

    init(_ rows: [PublishedRow], _ table: HubTable) {
        let own = HubTable.own.count - 1
        let columns = table.columns.map { ($0.name, $0.type, isMade: !table.unmade.contains($0.name)) }
        arrays = Array(repeating: [], count: own + columns.count(where: \.isMade))
        for index in arrays.indices { arrays[index].reserveCapacity(rows.count) }
        for row in rows {
            guard HubTable.holds(key: row.key) else {
                misfits["siding_key", default: 0] += 1
                continue
            }
            let isReadable = HubValue.isReadable(row.body)
            if !isReadable { misfits["siding_body", default: 0] += 1 }
            arrays[0].append(row.key)
            arrays[1].append(isReadable ? String(decoding: row.body, as: UTF8.self) : nil)
            arrays[2].append(String(row.revision))
            arrays[3].append(row.changedAt.rfc3339)
            arrays[4].append(row.deletedAt?.rfc3339)
            var place = own
            for ((name, type, isMade), value) in zip(columns, row.values) {
                let fitted = HubValue(value, as: type)
                if fitted == .misfit || !isMade && fitted != .null { misfits[name, default: 0] += 1 }
                guard isMade else { continue }
                arrays[place].append(fitted.text)
                place += 1
            }
        }
    }
}
