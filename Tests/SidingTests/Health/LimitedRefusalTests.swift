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

    private static func isLimit(_ failure: Failure) -> Bool {
        let isKept = failure.retention(of: .fetch) == .keep(counted: false)
        #expect(isKept == (failure.retention(of: .write(resendable: false)) == .keep(counted: false)))
        let outcome = SourceOutcome(failure, now: Timestamp(microseconds: 0))
        let gates = if case .retryAfter = outcome { true } else { false }
        #expect(isKept == gates)
        return isKept
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
    func `a 403 whose words speak of a limit, a quota or a wait asks for one`(body: String) {
        #expect(Self.isLimit(Self.failure(body)))
        for status in [400, 404, 409, 422] { #expect(!Self.isLimit(Self.failure(body, status: status)), "\(status)") }
    }

    @Test(arguments: [
        "", "{}", "null", #"{"message":"Resource not accessible by integration"}"#,
        #"{"message":"Unlimited plan only"}"#,
        #"{"message":"Access is limited to administrators"}"#, #"{"message":"Your account is awaiting approval"}"#,
        #"{"message":"You are on the waitlist"}"#, #"{"message":"Forbidden","path":"/limits/quota"}"#,
        #"{"message":"no","items":[{"message":"rate limit"}]}"#, "<html><body>Please wait</body></html>",
        #"{"message":7}"#, #"{"error":{"code":403,"message":"The caller does not have permission"}}"#,
    ])
    func `a 403 with other words is a refusal`(body: String) {
        #expect(!Self.isLimit(Self.failure(body)))
    }

    @Test func `plain text counts as words, and so do fields`() throws {
        let remaining = try ["X-RateLimit-Remaining", "RateLimit-Remaining", "X-Rate-Limit-Remaining"].map {
            try #require(HTTPField.Name($0))
        }
        #expect(Self.isLimit(Self.failure("Rate limit exceeded", [.contentType: "text/plain; charset=utf-8"])))
        #expect(!Self.isLimit(Self.failure("Forbidden", [.contentType: "text/plain"])))
        #expect(Self.isLimit(Self.failure("", [.retryAfter: "60"])))
        for name in remaining {
            #expect(Self.isLimit(Self.failure("", [name: "0"])))
            #expect(!Self.isLimit(Self.failure("", [name: "12"])))
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

    @Test func `the advice for a 403 is the rule to write`() {
        #expect(Self.failure("{}").hint?.contains("{ when: { status: 403 }, do: rate_limited }") == true)
        #expect(Self.failure(#"{"error":"quota"}"#).hint?.contains("{ when: { status: 403 }, do: fail }") == true)
    }
}
