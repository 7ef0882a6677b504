// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingHub
import SidingInspection
import SidingJSON

extension HubReport {
    /// What was done, in a line; nil if there was nothing to do.
    func line(of target: String) -> String? {
        var parts = rows > 0 ? [MessageFormat.count(rows, "record sent", plural: "records sent")] : []
        if let comparison { parts.append("all compared (\(comparison))") }
        if deleted > 0 { parts.append("\(deleted) deleted there") }
        return parts.isEmpty ? nil : "\(target): \(resource): \(parts.joined(separator: ", "))"
    }

    func foreseen(at target: String) -> String {
        "\(target): \(resource): \(behind == 0 ? "up to date" : MessageFormat.count(behind, "record behind", plural: "records behind"))"
    }

    func warnings(of target: String) -> [String] {
        misfits.sorted { $0.key < $1.key }.map { column, count in
            let values = MessageFormat.count(count, "value did", plural: "values did")
            return switch column {
            case "siding_key": "\(target): \(resource): \(values) not fit the key, and these records were left out"
            case "siding_body":
                "\(target): \(resource): \(values) not fit the column for bodies, as they are nested too deeply"
            default: "\(target): \(resource): \(values) not fit the column '\(column)'; the record's body has all"
            }
        }
    }

    func object(of target: String) -> JSONObject {
        var object: JSONObject = [
            "target": target, "resource": resource, "rows": rows, "deleted": deleted, "behind": behind,
            "comparison": comparison,
        ]
        if !misfits.isEmpty {
            var counts: JSONObject = [:]
            for (column, count) in misfits.sorted(by: { $0.key < $1.key }) { counts.add(column, count) }
            object.add("misfits", counts)
        }
        object.add("error", error.map(\.object))
        return object
    }
}
