internal import HTTPTypes
internal import Siding
internal import SidingChain

/// Rate limits of a source: `limits:`.
enum LimitGrammar {
    private static let match = Keyword(
        "match", pattern, isRequired: true,
        "Which requests count, by their path below base_url: * stands for anything within a segment, ** for any segments."
    )
    private static let rate = Keyword(
        "rate", rateType, "Requests per time, such as 100/min: no span of that length has more.")
    private static let remaining = Keyword(
        "remaining_header", .headerName, "The header field of answers that says how many requests are left.")
    private static let reset = Keyword(
        "reset_header", .headerName,
        "The header field of answers that says when the count begins anew: seconds from now, a time since 1970, a date."
    )

    private static let pattern = ValueType<String>.text("a path such as /search/**").map {
        text, node, reading -> PathPattern? in
        do throws(Failure) { return try PathPattern(text) } catch {
            reading.fault(
                "\(reading.subject) is \(Subject.quoted(text)): \(error.detail ?? error.description)", at: node.place,
                expected: "a path such as /search/** or **")
            return nil
        }
    }

    private static let rateType = ValueType<RequestRate>.scalar(
        "a number of requests and a time such as 30/m, 10/s, 5000/h, 100/d or 300/15m",
        schema: ["type": "string", "pattern": "^[0-9]{1,9}/[0-9]{0,9}[smhd]$"]
    ) { text, _ in
        guard let rate = RequestRate(text) else { return .refused(suggestion: suggestion(text)) }
        return .value(rate)
    }

    /// A correction such as `30/m` for `30 / min`.
    private static func suggestion(_ text: String) -> String? {
        let packed = text.lowercased().filter { $0 != " " }
        let parts = packed.split(separator: "/")
        guard parts.count == 2, let unit = parts[1].first, parts[1].allSatisfy(\.isLetter) else { return nil }
        let meant = "\(parts[0])/\(unit)"
        return RequestRate(meant) == nil ? nil : meant
    }

    private static let shape = Shape<RateLimit>([match.entry, rate.entry, remaining.entry, reset.entry]) {
        object, reading in
        let (rate, remaining) = (object.value(rate, &reading), object.value(remaining, &reading))
        let reset = object.value(reset, &reading)
        guard let match = object.value(match, &reading) else { return nil }
        // Invalid values were noted already.
        guard (rate == nil) == (object.entry("rate") == nil),
            (remaining == nil) == (object.entry("remaining_header") == nil)
        else { return nil }
        do throws(Failure) {
            return try RateLimit(match, rate: rate, remaining: remaining, reset: reset)
        } catch {
            reading.fault("\(reading.subject): \(error.detail ?? error.description)", at: object.place)
            return nil
        }
    }

    /// The whole of `limits:`.
    static let all = ValueType<[RateLimit]>.list(
        of: shape.type, "a list of limits such as { match: \"**\", rate: 30/m }"
    ).map { limits, node, reading in
        for (index, limit) in limits.enumerated() where limits[..<index].contains(where: limit.countsAs) {
            reading.fault(
                "\(reading.subject) counts '\(limit.match)' twice in the same time", at: node.place,
                expected: "one limit for each pattern and time")
        }
        return limits
    }
}
