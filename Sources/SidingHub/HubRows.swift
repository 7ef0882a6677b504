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
        arrays = Array(repeating: [], count: own + table.columns.count)
        for index in arrays.indices { arrays[index].reserveCapacity(rows.count) }
        for row in rows {
            guard HubValue.isStorable(row.key), row.key.utf8.count <= HubTable.longestKey else {
                misfits["siding_key", default: 0] += 1
                continue
            }
            arrays[0].append(row.key)
            arrays[1].append(String(decoding: row.body, as: UTF8.self))
            arrays[2].append(String(row.revision))
            arrays[3].append(row.changedAt.rfc3339)
            arrays[4].append(row.deletedAt?.rfc3339)
            for (index, column) in table.columns.enumerated() {
                switch HubValue(row.values[index], as: column.type) {
                case .null: arrays[own + index].append(nil)
                case .text(let text): arrays[own + index].append(text)
                case .misfit:
                    arrays[own + index].append(nil)
                    misfits[column.name, default: 0] += 1
                }
            }
        }
    }
}
