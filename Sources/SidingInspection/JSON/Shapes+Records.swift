// SPDX-License-Identifier: Apache-2.0
package import Siding
internal import SidingChain
internal import SidingJSON

/// Versions and quarantined records.
extension Shapes {
    package static func quarantined(_ record: QuarantinedRecord) -> JSONObject {
        [
            "id": record.id, "resource": record.resource, "key": record.key, "reason": record.reason,
            "rule": record.code, "run": record.run, "url": record.url, "position": record.position,
            "bytes": record.size, "created_at": record.createdAt, "seen_at": record.seenAt,
        ]
    }

    /// The result of retrying one.
    package static func quarantined(_ change: QuarantineChange) -> JSONObject {
        var object = quarantined(change.record)
        object.add(["done": change.refusal == nil, "refusal": change.refusal])
        return object
    }

    package static func version(_ version: RecordVersion, resource: String, key: String) -> JSONObject {
        [
            "resource": resource, "key": key, "body": JSONText(version.body),
            // Microseconds, so that the time can be passed to --as-of.
            "from": version.from.rfc3339(fractionDigits: 6), "to": version.to?.rfc3339(fractionDigits: 6),
            "run": version.run != 0 ? version.run : nil, "change": version.change.rawValue,
            "pending": version.pending > 0 ? version.pending : nil,
            "differences": version.differences?.map { difference($0) },
        ]
    }

    private static func difference(_ difference: MemberDifference) -> JSONObject {
        [
            "path": difference.path.description, "old": difference.old.map { JSONText($0.bytes) },
            "new": difference.new.map { JSONText($0.bytes) },
        ]
    }
}
