// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingHub
import SidingInspection
import SidingJSON

extension HubComparison {
    /// What was found, in a line.
    func line(of target: String) -> String {
        let records = MessageFormat.count(same, "record")
        var parts: [String] = []
        if let omission {
            parts = ["not compared: \(omission)"]
        } else if isEqual {
            parts = ["\(records), the same on both sides"]
        } else {
            if same > 0 { parts = ["\(records) the same"] }
            parts += missing.parts("missing there")
            parts += different.parts(different.count == 1 ? "differs" : "differ")
            parts += surplus.parts("too many there")
        }
        if behind > 0 { parts.append(MessageFormat.count(behind, "record behind", plural: "records behind")) }
        return "\(target): \(resource): \(parts.joined(separator: "; "))"
    }

    func object(of target: String) -> JSONObject {
        [
            "target": target, "resource": resource, "same": same, "missing": missing.object,
            "different": different.object, "surplus": surplus.object, "behind": behind, "omission": omission,
            "error": error.map(\.object),
        ]
    }
}

extension HubComparison.Difference {
    /// The number and the first keys; nothing if there are none.
    fileprivate func parts(_ what: String) -> [String] {
        guard count > 0 else { return [] }
        let names = keys.map { PlainText.oneLine($0, limit: 100) } + (count > keys.count ? ["…"] : [])
        return ["\(MessageFormat.grouped(count)) \(what) (\(names.joined(separator: ", ")))"]
    }

    fileprivate var object: JSONObject { ["count": count, "keys": keys] }
}
