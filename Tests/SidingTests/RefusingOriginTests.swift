// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingSchedule
import SidingSynchronization
import SidingTesting
import Testing

@testable import Siding

/// An origin that only refuses is left alone, whichever way it refuses and whatever it says about waiting.
@Suite(.timeLimit(.minutes(5))) struct RefusingOriginTests {
    /// How an origin refuses everything.
    struct Refusal: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let answer: ScriptedAnswer
        /// How many requests it may get in the first minute. A write may meet 404 and 410 for itself, once. A web page for a write
        /// is no answer of the origin: Siding asks with a GET who answers.
        let mostAtFirst: Int

        init(_ status: HTTPResponse.Status, wait: String? = nil, _ body: String = "", isPage: Bool = false) {
            mostAtFirst = isPage || [.notFound, .gone].contains(status) ? 14 : 10
            testDescription = "\(status.code) \(wait.map { "Retry-After: '\($0)'" } ?? "") \(body)"
            var fields: HTTPFields = [.contentType: isPage ? "text/html" : "application/json"]
            if let wait { fields[HTTPField.Name("Retry-After")!] = wait }
            answer = .text(body, status: status, headerFields: fields)
        }

        init(_ failure: Failure) {
            testDescription = "\(failure)"
            mostAtFirst = 10
            answer = .failure(failure)
        }
    }

    @Test func `one resource that always fails holds up none of its source for long`() async throws {
        let service = try await DayService("2026-03-22T23:00:00Z")
        try service.add("bad", by: IntervalSchedule(every: .seconds(60)), from: "shop", answer: .status(.badGateway))
        try service.add("good", by: IntervalSchedule(every: .seconds(60)), from: "shop")
        try await service.run(for: .seconds(3_600))
        #expect(service.moments(of: "/good").count >= 55, "\(service.requests)")
    }

    @Test func `writes that always fail hold up no page of their source for long`() async throws {
        let service = try await DayService("2026-03-22T23:00:00Z")
        try service.add("good", by: IntervalSchedule(every: .seconds(60)), from: "shop")
        for number in 0..<10 {
            service.set("/orders/\(number)", .status(.badGateway))
            _ = try await service.enqueue("/orders/\(number)", expiry: .seconds(86_400))
        }
        try await service.run(for: .seconds(3_600))
        #expect(service.moments(of: "/good").count >= 55, "\(service.requests)")
    }

    private static let waits = [nil, "0", "-1", "0.0", "", "soon", "Thu, 01 Jan 1970 00:00:00 GMT"]
    private static let refusals =
        waits.map { Refusal(.tooManyRequests, wait: $0) } + waits.map { Refusal(.serviceUnavailable, wait: $0) }
        + [.internalServerError, .badGateway, .badRequest, .unauthorized, .forbidden, .notFound, .gone]
        .map { Refusal($0, #"{"message":"no"}"#) }
        + [
            Refusal(.ok, "<html><title>Sign in</title></html>", isPage: true),
            Refusal(Failure(.cantConnectToHost(.refused), phase: .notSent)),
            Refusal(Failure(.timeout(.response), phase: .maybeSent)),
            Refusal(Failure(.connectionLost, phase: .maybeSent)),
        ]

    @Test(arguments: refusals)
    func `it gets no more than ten requests a minute`(_ refusal: Refusal) async throws {
        let service = try await DayService("2026-03-22T23:00:00Z")
        for name in ["ticks", "posts"] {
            try service.add(name, by: IntervalSchedule(every: .seconds(1)), from: "shop", answer: refusal.answer)
        }
        for number in 0..<10 {
            service.set("/orders/\(number)", refusal.answer)
            _ = try await service.enqueue("/orders/\(number)", expiry: .seconds(86_400))
        }
        try await service.run(for: .seconds(600))
        let moments = service.moments
        #expect(moments.count >= 5)
        for (index, first) in moments.enumerated() {
            let minute = moments[index...].prefix { $0 - first < .seconds(60) }.count
            guard minute > (first < service.start + .seconds(60) ? refusal.mostAtFirst : 10) else { continue }
            Issue.record("\(minute) requests within a minute: \(service.requests[index...].prefix(30))")
            return
        }
    }
}
