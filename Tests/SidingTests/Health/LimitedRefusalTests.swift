// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingTesting
import Testing

@testable import Siding

/// A 403 that means "later": what the words and fields of the origin say, and which words are about something else.
@Suite struct LimitedRefusalTests {
    private static func failure(_ body: String, status: Int = 403, _ fields: HTTPFields = [:]) -> Failure {
        Failure(
            .http(HTTPFailure(status: status, headerFields: fields, body: Array(body.utf8))), phase: .answered)
    }

    enum Meaning { case wait, perhapsLimit, refusal }

    private static func meaning(_ failure: Failure) -> Meaning {
        let outcome = SourceOutcome(failure, now: Timestamp(microseconds: 0))
        let kinds: [RequestKind] = [.fetch, .write(resendable: true), .write(resendable: false)]
        let retentions = Set(kinds.map { "\(failure.retention(of: $0))" })
        switch (outcome, failure.retention(of: .fetch)) {
        case (.retryAfter, .keep(counted: false, attempts: nil, minimumWait: nil)) where retentions.count == 1:
            return .wait
        case (.failed, .keep(counted: true, attempts: 5, minimumWait: .seconds(60))) where retentions.count == 1:
            return .perhapsLimit
        case (.answers, .fail): return .refusal
        default:
            Issue.record("\(outcome), \(retentions)")
            return .refusal
        }
    }

    @Test(arguments: [
        #"{"message":"You have exceeded a secondary rate limit. Please retry your request again later."}"#,
        #"{"message":"API rate limit exceeded for user ID 1.","documentation_url":"https://example.org"}"#,
        #"{"message":"You have triggered an abuse detection mechanism. Please wait a few minutes."}"#,
        #"{"error":{"code":403,"message":"User Rate Limit Exceeded","errors":[{"reason":"userRateLimitExceeded"}]}}"#,
        #"{"error":{"code":403,"message":"Denied","errors":[{"reason":"dailyLimitExceeded"}]}}"#,
        #"{"error":{"code":403,"message":"Denied","errors":[{"reason":"quotaExceeded"}]}}"#,
        #"[{"message":"TotalRequests exceeded","errorCode":"REQUEST_LIMIT_EXCEEDED"}]"#,
        #"{"detail":"Request was throttled."}"#, #"{"error":"rate_limited"}"#, #"{"error":"RateLimited"}"#,
        #"{"errors":[{"detail":"Too many requests"}]}"#, #"{"title":"Quota exhausted","status":403}"#,
        #"{"error":"QUOTA"}"#, #"{"message":"","error":{"type":"ratelimit"}}"#, #"{"msg":"Wait!"}"#,
    ])
    func `a 403 with a message about a limit, a quota or a wait is tried a few times more`(body: String) {
        #expect(Self.meaning(Self.failure(body)) == .perhapsLimit)
        #expect(Self.meaning(Self.failure(body, [.retryAfter: "7"])) == .wait)
        for status in [404, 422] {
            #expect(Self.meaning(Self.failure(body, status: status)) == .refusal, "\(status)")
        }
    }

    @Test(arguments: [
        #"{"__type":"com.amazonaws.dynamodb.v20120810#ThrottlingException","message":"Rate exceeded"}"#,
        #"{"error":{"message":"(#4) Application request limit reached","code":4}}"#,
        #"{"error_id":502,"error_message":"too many requests from this IP","error_name":"throttle_violation"}"#,
        "<ErrorResponse><Error><Code>Throttling</Code><Message>Rate exceeded</Message></Error></ErrorResponse>",
    ])
    func `a 400 with a message about a rate is tried a few times more, too`(body: String) {
        #expect(Self.meaning(Self.failure(body, status: 400)) == .perhapsLimit)
        #expect(Self.failure(body, status: 400).hint?.contains("when: { status: 400 }") == true)
    }

    @Test(arguments: [
        #"{"message":"limit must be below 100"}"#, #"{"message":"the quota has to be a number"}"#, "{}",
        #"{"message":"wait_time is required"}"#, #"{"message":"request limit of 100 items exceeded"}"#,
        #"{"message":"rate limit must be a number"}"#, "<html><title>Bad Request</title></html>",
    ])
    func `a 400 about a limit of the request is a refusal`(body: String) {
        #expect(Self.meaning(Self.failure(body, status: 400)) == .refusal)
    }

    @Test(arguments: [
        "", "{}", "null", #"{"message":"Resource not accessible by integration"}"#,
        #"{"message":"Unlimited plan only"}"#,
        #"{"message":"Access is limited to administrators"}"#, #"{"message":"Your account is awaiting approval"}"#,
        #"{"message":"You are on the waitlist"}"#, #"{"message":"Forbidden","path":"/limits/quota"}"#,
        #"{"message":"no","items":[{"message":"rate limit"}]}"#, "<html><body>Please wait</body></html>",
        #"{"message":7}"#, #"{"error":{"code":403,"message":"The caller does not have permission"}}"#,
    ])
    func `a 403 with another message is a refusal`(body: String) {
        #expect(Self.meaning(Self.failure(body)) == .refusal)
    }

    @Test func `plain text counts as a message, and so do fields`() throws {
        let remaining = try ["X-RateLimit-Remaining", "RateLimit-Remaining", "X-Rate-Limit-Remaining"].map {
            try #require(HTTPField.Name($0))
        }
        #expect(
            Self.meaning(Self.failure("Rate limit exceeded", [.contentType: "text/plain; charset=utf-8"]))
                == .perhapsLimit)
        #expect(Self.meaning(Self.failure("Forbidden", [.contentType: "text/plain"])) == .refusal)
        #expect(Self.meaning(Self.failure("", [.retryAfter: "60"])) == .wait)
        for name in remaining {
            #expect(Self.meaning(Self.failure("", [name: "0"])) == .wait)
            #expect(Self.meaning(Self.failure("", [name: "12"])) == .refusal)
        }
    }

    @Test(arguments: [FailureRule.Action.fail, .park])
    func `a rule for 403 comes first`(action: FailureRule.Action) async throws {
        var bench = try await EngineBench()
        let answer = FailureRule.Answer(statuses: [403])
        bench.resource.source.failureRules = [try FailureRule(when: .answer(answer), do: action)]
        bench.origin.set("/posts", .text(#"{"message":"rate limit"}"#, status: .forbidden))
        #expect(try await bench.sync().result.outcome == .failed)
        #expect(try await bench.store.gates() == [])
    }

    @Test func `the advice for such a 403 is the rule to write`() {
        let hint = Self.failure(#"{"error":"quota"}"#).hint
        #expect(hint?.contains("errors: [{ when: { status: 403 }, do: rate_limited }]") == true)
        #expect(Self.failure("{}").hint?.contains("the rights of its account") == true)
    }

    @Test func `of many writes that are refused so, few are sent`() async throws {
        let limit = ScriptedAnswer.text(#"{"message":"You have exceeded a secondary rate limit"}"#, status: .forbidden)
        let bench = try await WriteBench(concurrency: 1)
        bench.origin.set("/a", limit)
        var entries: [QueueEntry] = []
        for _ in 0..<20 { entries.append(try await bench.enqueue("/a", idempotency: nil)) }
        _ = try await bench.sender().drain()
        #expect(bench.origin.takeTargets().count == RetryRules.breakerLimit)
        for entry in entries { #expect(try await bench.entry(entry.id).state == .queued) }
    }

    @Test func `a write that is always refused so ends as rejected, and holds up no other for good`() async throws {
        let bench = try await WriteBench(concurrency: 1)
        bench.origin.set("/bad", .text(#"{"message":"limit"}"#, status: .forbidden))
        bench.origin.set("/good", .status(.created))
        var bad: [QueueEntry] = []
        for _ in 0..<10 { bad.append(try await bench.enqueue("/bad", idempotency: nil)) }
        let good = try await bench.enqueue("/good", idempotency: nil)
        for _ in 0..<12 {
            _ = try await bench.sender().drain()
            bench.time.advance(by: .seconds(601))
        }
        #expect(try await bench.entry(good.id).state == .done)
        for _ in 0..<200 {
            _ = try await bench.sender().drain()
            bench.time.advance(by: .seconds(4000))
        }
        for entry in bad { #expect(try await bench.entry(entry.id).reason == .rejected) }
    }
}
