// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import SidingChain
internal import SidingCredentials
internal import SidingNotifications

/// Whom to notify of what: `notify:`.
enum NotifyGrammar {
    private static let events = Keyword(
        "on",
        ValueType<[NotificationHook.Event]>.oneOrMore(
            .choice,
            "failed, incomplete, queued_too_long, parked, deletions_blocked or recovered, or a list of them"),
        "What the hook is notified of, once each; everything if left out. With recovered alone: every end.")
    private static let queuedLongerThan = Keyword(
        "queued_longer_than", .duration, default: "1h",
        "From which age of the oldest queued entry of a source, or unpublished change, on queued_too_long is notified.")
    private static let timeout = Keyword(
        "timeout", .duration, default: "30s", "The time limit of one call, at most ten minutes.")
    private static let command = Keyword(
        "command", ValueType<[String]>.list(of: .text("text"), "a list such as [/usr/local/bin/alert, ops]"),
        "A program and its arguments, run without a shell, with the JSON of the notification on its standard input. A path is relative to this file; a name alone is found in PATH."
    )
    private static let url = Keyword(
        "url", HookAddressType.address, "Gets a POST of the JSON of the notification. https, or http on this machine.")
    private static let headers = Keyword(
        "headers", HookAddressType.headers, "Header fields of the requests to url: text, or secrets by reference.")
    private static let ping = Keyword(
        "ping", HookAddressType.address,
        "A monitor of runs: gets a POST to its address plus /start, then to itself or, if something is wrong, plus /fail."
    )

    private static let shape = Shape<Located<NotificationHook>>([
        events.entry, queuedLongerThan.entry, timeout.entry, command.entry, url.entry, headers.entry, ping.entry,
    ]) { object, reading in
        let (target, fields) = (target(object, &reading), object.located(headers, &reading))
        let events = object.located(events, &reading)
        let queued = object.value(queuedLongerThan, &reading)
        let limit = object.located(timeout, &reading)
        if let limit, limit.value > .seconds(600) {
            reading.fault("\(limit.subject) is longer than ten minutes", at: limit.place, expected: "at most 10m")
        }
        guard let target else { return nil }
        var hook = NotificationHook(target)
        switch (target, fields) {
        case (.url(let address, _), let fields?): hook.target = .url(address, headers: fields.value)
        case (_, let fields?): reading.fault("\(fields.subject) is for 'url' alone", at: fields.place)
        case (_, nil): break
        }
        if let events { hook.events = Set(events.value) }
        hook.queuedLongerThan = queued ?? hook.queuedLongerThan
        hook.timeout = limit?.value ?? hook.timeout
        let variables = reading.environment.variables()
        // A faulty variable is reported of the sources.
        if let rules = try? ProxyRules(environment: variables) { hook.transport.proxies = rules }
        hook.transport.tls.systemAuthorities = SourceGrammar.systemAuthorities(variables)
        return Located(value: hook, place: object.place, subject: reading.subject)
    }

    private static func target(_ object: ObjectReader, _ reading: inout Reading) -> NotificationHook.Target? {
        let (program, address) = (object.located(command, &reading), object.value(url, &reading))
        let monitor = object.value(ping, &reading)
        let places = [command.name, url.name, ping.name].compactMap { object.entry($0)?.place }
        guard places.count == 1 else {
            let problem = places.isEmpty ? "names no target" : "has more than one target"
            reading.fault(
                "\(reading.subject) \(problem)", at: places.dropFirst().first ?? object.place,
                expected: "one of command, url and ping")
            return nil
        }
        if let address { return .url(address, headers: []) }
        if let monitor { return .ping(monitor) }
        return program.flatMap { reading.program($0) }.map { .command($0) }
    }

    /// The whole of `notify:`.
    static let all = ValueType<[Located<NotificationHook>]>.list(
        of: shape.type, "a list of hooks such as { command: [/usr/local/bin/alert] }"
    ).map { hooks, _, reading in
        var seen: Set<String> = []
        for hook in hooks where !seen.insert(hook.value.id).inserted {
            reading.fault(
                "\(hook.subject) has the target of an earlier hook", at: hook.place,
                expected: "one hook for each target, with all events in its 'on'")
        }
        return hooks
    }
}
