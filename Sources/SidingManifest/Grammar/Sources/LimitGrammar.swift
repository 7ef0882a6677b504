// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Siding
internal import SidingChain

/// Rate limits of a source: `limits:`.
enum LimitGrammar {
    private static let match = Keyword(
        "match", pattern, default: "**",
        "The paths that count, below base_url and without a query. * matches within a segment, ** any segments."
    )
    private static let rate = Keyword(
        "rate", rateType,
        "The maximum number of requests in any span of this length, such as 100/m or 300/15m; up to 1000000 and 31 days."
    )
    private static let bytes = Keyword(
        "bytes", bytesType,
        "The maximum number of bytes in any span of this length, such as 50MiB/d: what the network carries in both directions. In an entry without rate."
    )
    private static let remaining = Keyword(
        "remaining_header", .headerName, "The header field of answers that reports the remaining quota.")
    private static let reset = Keyword(
        "reset_header", .headerName,
        "The header field that reports when the quota resets: seconds from now, seconds or milliseconds since 1970, or a date."
    )

    private static let everything = try? PathPattern("**")

    private static let pattern = ValueType<String>.text("a path such as /search/**").map {
        text, node, reading -> PathPattern? in
        do throws(Failure) { return try PathPattern(text) } catch {
            reading.fault(
                "\(reading.subject) is \(Subject.quoted(text)): \(error.detail ?? error.description)", at: node.place,
                expected: "a path such as /search/** or **")
            return nil
        }
    }

    private static let rateType = rates(
        of: .requests, "[0-9]{1,9}", "a number of requests and a time such as 30/m, 10/s, 5000/h, 100/d or 300/15m")
    private static let bytesType = rates(
        of: .bytes, "[0-9]{1,15}(B|KB|MB|GB|KiB|MiB|GiB)?", "a size and a time such as 50MiB/d, 2GB/30d or 10KiB/s")

    /// - Parameter amount: the pattern of what stands before the slash.
    private static func rates(of unit: RequestRate.Unit, _ amount: String, _ expected: String) -> ValueType<RequestRate>
    {
        .scalar(expected, schema: ["type": "string", "pattern": .string("^\(amount)/[0-9]{0,9}[smhd]$")]) { text, _ in
            guard let rate = RequestRate(text, unit: unit) else {
                return .refused(suggestion: suggestion(text, of: unit))
            }
            return .value(rate)
        }
    }

    /// A correction such as `30/m` for `30 / min`, or `50MiB/d` for `50mib/day`.
    private static func suggestion(_ text: String, of unit: RequestRate.Unit) -> String? {
        let parts = text.filter { $0 != " " }.split(separator: "/")
        guard parts.count == 2, let time = parts[1].lowercased().first, parts[1].allSatisfy(\.isLetter) else {
            return nil
        }
        let amount = String(parts[0])
        let meant = "\(unit == .bytes ? SizeText.suggestion(amount) ?? amount : amount)/\(time)"
        return RequestRate(meant, unit: unit) == nil ? nil : meant
    }

    private static let shape = Shape<RateLimit>([match.entry, rate.entry, bytes.entry, remaining.entry, reset.entry]) {
        object, reading in
        let (requests, remaining) = (object.value(rate, &reading), object.value(remaining, &reading))
        let (bytes, reset) = (object.value(bytes, &reading), object.value(reset, &reading))
        guard let match = object.value(match, &reading) ?? (object.entry("match") == nil ? everything : nil) else {
            return nil
        }
        if bytes != nil, requests != nil {
            reading.fault(
                "\(reading.subject) limits bytes and requests", at: object.place,
                expected: "an entry for the bytes, and one for the requests")
            return nil
        }
        let rate = bytes ?? requests
        // Invalid values were noted already.
        guard (rate == nil) == (object.entry("rate") == nil && object.entry("bytes") == nil),
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
