// SPDX-License-Identifier: Apache-2.0
internal import Siding

/// When tokens are renewed: `refresh:` in `auth:`.
struct RefreshRules: Sendable {
    var early = Duration.seconds(60)
    var statuses: Set<Int> = [401]
}

/// The grammar of `refresh:`.
enum RefreshGrammar {
    private static let early = Keyword(
        "early", .duration, default: "60s",
        "How long before its known end a token is renewed; half of its lifetime if that is shorter.")
    private static let statuses = Keyword(
        "on_status", ValueType<[Int]>.list(of: .integer(400...499), "a list of statuses such as [401, 403]"),
        default: [401], "The statuses that mean that the token is not valid.")

    private static let shape = Shape<RefreshRules>([early.entry, statuses.entry]) { object, reading in
        var rules = RefreshRules()
        if let early = object.value(early, &reading) { rules.early = early }
        if let statuses = object.value(statuses, &reading) { rules.statuses = Set(statuses) }
        return rules
    }

    static let keyword = Keyword("refresh", shape.type, "When a token is renewed.")
}
