// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingTesting

/// What people met: an origin, or the network before it, that misbehaves for a while.
enum StormTrouble: CaseIterable, Sendable {
    /// Pages lack records and say so.
    case partial
    /// A login page of the network answers everything.
    case portal
    /// An origin that limits says badly how long to wait.
    case limits
    /// A replica shows records as they were before their last change.
    case lag
    /// A write is accepted, with no word of its effect.
    case accepted
}

extension StormOrigin {
    /// The answer of whatever stands before the origin; nil where the origin itself answers.
    func trouble(_ state: inout State) -> ScriptedAnswer? {
        if state.troubles.contains(.portal) {
            return .text(
                "<!DOCTYPE html><html><title>Sign in</title></html>", headerFields: [.contentType: "text/html"])
        }
        guard state.troubles.contains(.limits), Int.random(in: 0..<3, using: &state.generator) == 0 else { return nil }
        let status: HTTPResponse.Status =
            [.tooManyRequests, .serviceUnavailable, .forbidden]
            .randomElement(using: &state.generator) ?? .tooManyRequests
        var fields: HTTPFields = [:]
        if let wait = HTTPField.Name("Retry-After") {
            fields[wait] =
                ["0", "-1", "0.0", "soon", "", "30", "90000000", "Thu, 01 Jan 1970 00:00:00 GMT"]
                .randomElement(using: &state.generator)
        }
        return .status(status, headerFields: fields)
    }

    /// The records; perhaps as a replica shows them that does not know the changes of the last seconds.
    ///
    /// What came late and what lags is together less than the lookback.
    func lagging(_ state: inout State) -> [Record] {
        guard state.troubles.contains(.lag) else { return state.records }
        let now = now(state)
        return state.records.map { record in
            guard let earlier = state.earlier[record.id], now - record.at <= 15 else { return record }
            return Bool.random(using: &state.generator) ? earlier : record
        }
    }

    /// Makes of the page an answer that lacks some records and says so.
    ///
    /// - Parameter next: the members beside the records.
    func partial(_ shown: [Record], beside next: [String], _ fields: HTTPFields, _ state: inout State) -> ScriptedAnswer
    {
        var (fields, members, status) = (fields, next, HTTPResponse.Status.ok)
        var shown = Array(shown.prefix(shown.count / 2))
        fields[.eTag] = nil
        switch Int.random(in: 0..<6, using: &state.generator) {
        case 0:
            status = [.accepted, .partialContent, .init(code: 207)].randomElement(using: &state.generator) ?? .accepted
        case 1:
            shown = []
            members.append(#""error":{"code":"RATE_LIMITED"}"#)
        case 2:
            shown = []
            members.append(#""errors":["one shard did not answer"]"#)
        case 3: members.append(#""timed_out":true"#)
        case 4: members.append(#""_shards":{"total":5,"failed":1}"#)
        default: HTTPField.Name("X-Result").map { fields[$0] = "partial" }
        }
        return .text(json(shown, members), status: status, headerFields: fields)
    }

    func json(_ shown: [Record], _ members: [String]) -> String {
        let records = #""items":[\#(shown.map(\.json).joined(separator: ","))]"#
        return "{\(([records] + members).joined(separator: ","))}"
    }

    /// The refusal of a next page whose token died.
    func deadToken(_ state: inout State) -> ScriptedAnswer {
        let statuses: [HTTPResponse.Status] = [.badRequest, .notFound, .gone, .unprocessableContent]
        guard let status = statuses.randomElement(using: &state.generator),
            Bool.random(using: &state.generator)
        else { return .text(#"{"error":"ITERATOR_NOT_AVAILABLE"}"#) }
        return .status(status)
    }

    /// `Date`, by the origin's own clock (RFC 9110, section 6.6.1).
    func date(_ state: State) -> HTTPFields {
        HTTPDate.text(Double(now(state))).map { [.date: $0] } ?? [:]
    }
}
