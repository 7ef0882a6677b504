// SPDX-License-Identifier: Apache-2.0
package import HTTPTypes
internal import Siding
package import SidingChain
package import SidingCredentials

/// One entry of `notify:`: whom to notify, and of what.
package struct NotificationHook: Sendable {
    /// What a hook may be notified of: the kinds of incidents, by their names, and their end.
    package enum Event: String, Sendable, CaseIterable {
        case failed, incomplete
        case queuedTooLong = "queued_too_long"
        case parked
        case deletionsBlocked = "deletions_blocked"
        case recovered
    }

    package enum Target: Sendable {
        /// Is run for each notification, with the JSON on its standard input.
        case command(Program)
        /// Gets a POST of the JSON for each notification.
        case url(Secret, headers: [Header])
        /// Gets a POST at the beginning and at the end of each run.
        case ping(Secret)
    }

    /// A header field of the requests of a hook.
    package struct Header: Sendable {
        package var name: HTTPField.Name
        package var value: Secret

        package init(_ name: HTTPField.Name, _ value: Secret) {
            (self.name, self.value) = (name, value)
        }
    }

    package var target: Target
    package var events = Set(Event.allCases)
    /// The age of an entry from which on `queued_too_long` concerns this hook.
    package var queuedLongerThan = QueueShare.tooLong
    /// The time limit of one call.
    package var timeout = Duration.seconds(30)
    /// What connections of a URL use: proxies, authorities.
    package var transport = TransportSettings()

    package init(_ target: Target) {
        self.target = target
    }

    /// Who the hook is, in the database: a digest of its target, so that other hooks may be added and removed.
    package var id: String { String(SHA256.hexadecimal(identity).prefix(16)) }

    private var identity: String {
        switch target {
        case .command(let program): (["command", program.name] + program.arguments).joined(separator: "\0")
        case .url(let address, _): "url\0\(address.plainText ?? address.description)"
        case .ping(let address): "ping\0\(address.plainText ?? address.description)"
        }
    }

    /// For messages: `command mail`, `url ntfy.sh`, `url 127.0.0.1:9000`, `ping env HEALTHCHECK`. The path of an address may be a secret.
    package var description: String {
        switch target {
        case .command(let program): "command \(program.shortName)"
        case .url(let address, _): "url \(Self.place(address))"
        case .ping(let address): "ping \(Self.place(address))"
        }
    }

    private static func place(_ address: Secret) -> String {
        guard let text = address.plainText else { return address.description }
        return (try? HTTPURL(text))?.authority ?? "address"
    }

    var isPing: Bool { if case .ping = target { true } else { false } }
    /// Whether it needs the network.
    var isRemote: Bool { if case .command = target { false } else { true } }

    // MARK: Concerns

    /// Whether the hook is still to be notified of the beginning of the incident or, once it has ended, of its end.
    func isDue(_ incident: Incident, now: Timestamp) -> Bool {
        guard !incident.notified.contains(id) else { return false }
        guard incident.endedAt != nil else { return concerns(incident, now: now) }
        // A hook for recoveries alone is notified of all of them.
        return events.contains(.recovered) && (events == [.recovered] || concerns(incident, now: now))
    }

    /// Whether it was called in vain just now, about whichever of `incidents`: it is left alone for a while.
    func rests(after incidents: [Incident], now: Timestamp) -> Bool {
        incidents.compactMap { $0.failedCalls[id] }.contains { failed in
            let passed = now - Timestamp(microseconds: failed.at)
            // A moment that has not come yet was stored before the clock was set back.
            return passed >= .zero && passed < RetryRules.hookBackoff.ceiling(after: failed.count)
        }
    }

    /// How many calls in a row failed, about whichever of `incidents`.
    func failures(in incidents: [Incident]) -> Int { incidents.compactMap { $0.failedCalls[id]?.count }.max() ?? 0 }

    /// Whether the incident is of a kind that the hook is for.
    func concerns(_ incident: Incident, now: Timestamp) -> Bool {
        guard events.contains(where: { $0.rawValue == incident.key.kind.rawValue }) else { return false }
        guard incident.key.kind == .queuedTooLong, incident.endedAt == nil else { return true }
        return now - (incident.oldestSince ?? incident.since) >= queuedLongerThan
    }

    /// Whether the hook is to be notified once the incident, which lasts, has ended. Of an entry that was queued for too long
    /// by the `limit` of another hook it is not, unless it was notified of the beginning.
    func awaitsEnd(of incident: Incident, _ limit: Duration) -> Bool {
        incident.key.kind != .queuedTooLong || queuedLongerThan <= limit || events == [.recovered]
            || incident.notified.contains(id)
    }
}

extension [NotificationHook] {
    /// The least age from which on a queued entry concerns one of them; zero without hooks.
    var leastQueueAge: Duration { map(\.queuedLongerThan).min() ?? .zero }
}
