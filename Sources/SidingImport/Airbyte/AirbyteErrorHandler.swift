// SPDX-License-Identifier: Apache-2.0
/// Converts a DefaultErrorHandler, or a CompositeErrorHandler of several.
struct AirbyteErrorHandler {
    let handler: AirbyteComponent
    var depth = 0

    /// Adds rules to the resource, and retry settings to the source, which all its resources share.
    func add(
        to resource: inout ImportedResource, _ source: inout ImportedSource, _ imported: inout ImportedConfig
    ) {
        switch handler.type {
        case "CompositeErrorHandler" where depth < 4:
            for inner in handler.components("error_handlers") {
                AirbyteErrorHandler(handler: inner, depth: depth + 1).add(to: &resource, &source, &imported)
            }
        case "DefaultErrorHandler", nil:
            imported.noteUnsupported(
                membersOf: handler.node,
                but: ["type", "response_filters", "max_retries", "backoff_strategies", "description"])
            for filter in handler.components("response_filters") { addRules(filter, &resource, &imported) }
            for backoff in handler.components("backoff_strategies") { addBackoff(backoff, &source, &imported) }
            if let most = handler["max_retries"], let count = most.integer {
                source.retry.set("inline", .number(min(max(count, 0), 10), from: most.origin))
                if count > 10 {
                    imported.noteUnsupported(most.origin, "a request is retried at most 10 times in one run")
                }
            }
        case let type:
            imported.noteUnsupported(
                handler.origin, "the import does not support the error handler '\((type ?? "").prefix(60))'",
                hint: "write 'errors' of the resource by hand")
        }
    }

    private static let actions = [
        "RETRY": "retry", "FAIL": "fail", "IGNORE": "ignore", "RATE_LIMITED": "rate_limited",
        "RESET_PAGINATION": "reset_cursor", "REFRESH_TOKEN_THEN_RETRY": "refresh_token",
    ]

    /// Adds one rule for each condition of the filter, in Airbyte's order: any condition is enough.
    private func addRules(
        _ filter: AirbyteComponent, _ resource: inout ImportedResource, _ imported: inout ImportedConfig
    ) {
        imported.noteUnsupported(
            membersOf: filter.node,
            but: [
                "type", "action", "http_codes", "predicate", "error_message_contains", "error_message", "failure_type",
            ])
        guard let word = filter["action"]?.text, let action = Self.actions[word] else {
            return imported.noteUnsupported(
                filter.origin, "siding.yaml does not support this action",
                hint: "write 'errors' of the resource by hand")
        }
        let codes = statuses(filter, &imported)
        if !codes.isEmpty { resource.errors.append(.rule(statuses: codes, do: action, from: filter.origin)) }
        if let predicate = filter["predicate"], let body = body(predicate, &imported) {
            resource.errors.append(.rule(statuses: [], do: action, from: predicate.origin, body: body))
        }
        if let text = filter["error_message_contains"] {
            imported.noteUnsupported(
                text.origin, "siding.yaml has no condition on text anywhere in an answer",
                hint: "write 'errors' of the resource with a 'body' path")
        }
    }

    private func statuses(_ filter: AirbyteComponent, _ imported: inout ImportedConfig) -> [Int] {
        (filter["http_codes"]?.itemsOrSelf ?? []).compactMap { code in
            if code.integer == nil {
                imported.noteUnsupported(
                    code.origin, "the status depends on the user's configuration",
                    hint: "write it in 'errors' of the resource by hand")
            }
            return code.integer
        }
    }

    private func body(_ predicate: InputNode, _ imported: inout ImportedConfig) -> ConfigNode? {
        guard let condition = AirbytePredicate(predicate.text ?? ""), condition.access.root == "response",
            let path = condition.access.path, !condition.isNegated
        else {
            imported.noteUnsupported(
                predicate.origin, "the import supports only a predicate that compares a member with a text",
                hint: "write 'errors' of the resource by hand")
            return nil
        }
        return .texts(
            ["path": path, condition.isPart ? "contains" : "equals": condition.text], from: predicate.origin)
    }

    private func addBackoff(
        _ backoff: AirbyteComponent, _ source: inout ImportedSource, _ imported: inout ImportedConfig
    ) {
        switch backoff.type {
        case "ConstantBackoffStrategy":
            guard let wait = backoff["backoff_time_in_seconds"], let seconds = wait.text, Double(seconds) ?? 0 > 0
            else { break }
            source.retry.set("base", .text("\(seconds)s", from: wait.origin))
            // Waits do not grow beyond the cap.
            source.retry.set("cap", .text("\(seconds)s", from: wait.origin))
            return
        case "ExponentialBackoffStrategy":
            guard let factor = backoff["factor"] else { return }
            guard let seconds = factor.text, Double(seconds) ?? 0 > 0 else { break }
            source.retry.set("base", .text("\(seconds)s", from: factor.origin))
            return
        case "WaitTimeFromHeader" where backoff["header"]?.text?.lowercased() == "retry-after":
            return  // Siding waits for that by itself.
        default: break
        }
        imported.noteUnsupported(
            backoff.origin, "siding.yaml does not support this backoff",
            hint: "Siding waits for Retry-After; write other waits in 'retry' and 'limits' of the source")
    }
}

/// A parsed predicate: `response.code == 'X'` or `'part' in response.message`, with or without `{{ … }}`.
struct AirbytePredicate {
    let access: AirbyteAccess
    let text: String
    /// Whether the value must contain `text` instead of being equal.
    let isPart: Bool
    let isNegated: Bool

    init?(_ predicate: String) {
        guard predicate.utf8.count <= 1000 else { return nil }
        let inside = (predicate.inBraces ?? predicate).trimmingSpaces
        if let match = inside.wholeMatch(
            of: /([^=!<>]+?)\s*(==|!=)\s*(?:['"]([^'"]*)['"]|(-?[0-9.]+|[Tt]rue|[Ff]alse))/),
            let access = AirbyteAccess(String(match.output.1))
        {
            self.access = access
            text = match.output.3.map(String.init) ?? (match.output.4 ?? "").lowercased()
            (isPart, isNegated) = (false, match.output.2 == "!=")
        } else if let match = inside.wholeMatch(of: /['"]([^'"]+)['"]\s+(not\s+)?in\s+(.+)/),
            let access = AirbyteAccess(String(match.output.3))
        {
            self.access = access
            text = String(match.output.1)
            (isPart, isNegated) = (true, match.output.2 != nil)
        } else {
            return nil
        }
        if text.isEmpty { return nil }
    }
}
