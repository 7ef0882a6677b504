// SPDX-License-Identifier: Apache-2.0
internal import Siding
package import SidingChain
package import SidingInspection

/// What a hook is given: one JSON object.
package struct Notification: Sendable {
    /// An incident that began, one that ended (`recovered`), several at once (`summary`), or a `test`.
    package var event: String
    /// The sentence for a person.
    package var text: String
    package var message: String
    /// The command that shows more.
    package var hint: String
    private var incident: Incident?
    private var count: Int?

    init(_ incident: Incident) {
        let kind = incident.key.kind
        self.incident = incident
        message = incident.message
        let subject = "'\(incident.key.subject)'"
        hint = incident.key.isOfTarget ? "siding status" : kind.hint(incident.key.subject)
        if let end = incident.endedAt {
            event = NotificationHook.Event.recovered.rawValue
            let length = MessageFormat.duration(max(.zero, end - incident.since))
            text = "\(subject) recovered after \(length); it \(kind.past): \(message)"
        } else {
            event = kind.rawValue
            text = "\(subject) \(kind.present): \(message)"
        }
    }

    /// One notification for many that came at once.
    init(summaryOf rest: [Incident]) {
        (event, count) = ("summary", rest.count)
        let ended = rest.count { $0.endedAt != nil }
        var parts = Incident.Kind.allCases.compactMap { kind -> String? in
            let count = rest.count { $0.key.kind == kind && $0.endedAt == nil }
            return count == 0 ? nil : "\(count) \(kind.rawValue)"
        }
        if ended > 0 { parts.append("\(ended) recovered") }
        message = "\(rest.count) more: \(parts.joined(separator: ", "))"
        (text, hint) = (message, "siding notify list")
    }

    /// What `siding notify test` sends.
    static let test: Notification = {
        var test = Notification(
            Incident(
                .failed, of: "example", since: Timestamp(microseconds: 0), message: "this is a test of the hook"))
        (test.event, test.incident) = ("test", nil)
        test.text = "this is a test of the hook; nothing is wrong"
        return test
    }()

    /// The JSON that Docs/Notifications.md describes.
    package func object(host: String, now: Timestamp) -> JSONObject {
        var object: JSONObject = ["event": event, "host": host, "at": now]
        if let incident {
            object.add([
                "kind": incident.key.kind.rawValue, "subject": incident.key.subject, "since": incident.since,
                "ended_at": incident.endedAt,
                "seconds": incident.endedAt.map { Int(max(.zero, $0 - incident.since).components.seconds) },
            ])
        }
        object.add(["count": count, "message": message, "text": "siding on \(host): \(text)", "hint": hint])
        return object
    }
}

extension Incident.Kind {
    fileprivate var present: String {
        switch self {
        case .failed: "fails"
        case .incomplete: "is incomplete"
        case .queuedTooLong: "has waited for too long"
        case .parked: "waits for an operator"
        case .deletionsBlocked: "has blocked deletions"
        }
    }

    fileprivate var past: String {
        switch self {
        case .failed: "had failed"
        case .incomplete: "was incomplete"
        case .queuedTooLong: "had waited for too long"
        case .parked: "waited for an operator"
        case .deletionsBlocked: "had blocked deletions"
        }
    }

    fileprivate func hint(_ subject: String) -> String {
        switch self {
        case .failed, .incomplete, .deletionsBlocked: "siding status"
        case .queuedTooLong: "siding queue list --source \(subject)"
        case .parked: "siding queue list --source \(subject) --state parked"
        }
    }
}
