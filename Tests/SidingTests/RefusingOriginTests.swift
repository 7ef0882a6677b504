// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingOrigin
import SidingSchedule
import SidingSynchronization
import SidingTesting
import Testing
import TestSupport

@testable import Siding

/// An origin that only refuses is left alone, whichever way it refuses and whatever it says about waiting.
@Suite(.timeLimit(.minutes(5))) struct RefusingOriginTests {
    /// How an origin refuses everything.
    struct Refusal: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let answer: ScriptedAnswer
        /// How many requests it may get in the first minute. A web page for a write is no answer of the origin: Siding asks with a GET
        /// who answers.
        let mostAtFirst: Int
        var isOutOfReach = false

        init(_ status: HTTPResponse.Status, wait: String? = nil, _ body: String = "", isPage: Bool = false) {
            mostAtFirst = isPage ? 14 : 10
            testDescription = "\(status.code) \(wait.map { "Retry-After: '\($0)'" } ?? "") \(body)"
            var fields: HTTPFields = [.contentType: isPage ? "text/html" : "application/json"]
            if let wait { fields[HTTPField.Name("Retry-After")!] = wait }
            answer = .text(body, status: status, headerFields: fields)
        }

        init(_ failure: Failure) {
            testDescription = "\(failure)"
            mostAtFirst = 10
            isOutOfReach = failure.phase == .notSent
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

    /// Those that concern all requests for a while. A web page has each write ask who answers, and a source that waits for a sign-in has
    /// a gate of its own.
    private static let passing = refusals.filter { $0.mostAtFirst == 10 && !$0.testDescription.hasPrefix("401") }

    @Test(arguments: Proof.sample(refusals, every: 2), [0, 2])
    func `it gets no more than ten requests a minute`(_ refusal: Refusal, retries: Int) async throws {
        let service = try await DayService("2026-03-22T23:00:00Z", retries: retries)
        for name in ["ticks", "posts"] {
            try service.add(name, by: IntervalSchedule(every: .seconds(1)), from: "shop", answer: refusal.answer)
        }
        for number in 0..<10 { service.set("/orders/\(number)", refusal.answer) }
        try await Self.enqueue(10, to: service)
        try await service.run(for: .seconds(600))
        #expect(service.moments.count >= 5)
        Self.expectFew(refusal.mostAtFirst, service)
    }

    @Test(arguments: 0..<Proof.choose(short: 10, middle: 40, long: 2_000))
    func `an origin that refuses first in one way and then in others gets no more than ten requests a minute`(
        _ seed: Int
    ) async throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let service = try await DayService("2026-03-22T23:00:00Z", retries: Int.random(in: 0...2, using: &generator))
        var paths: [String] = []
        for number in 0..<Int.random(in: 1...2, using: &generator) {
            let schedule = IntervalSchedule(every: .seconds(Int.random(in: 1...90, using: &generator)))
            try service.add("listing\(number)", by: schedule, from: "shop")
            paths.append("/listing\(number)")
        }
        let writes = Int.random(in: 0...20, using: &generator)
        paths += (0..<writes).map { "/orders/\($0)" }
        try await Self.enqueue(writes, to: service)
        var (begin, changes, told) = (Duration.zero, [Timestamp](), [String]())
        while begin < .seconds(600) {
            let end = begin + .seconds(Int.random(in: 60...300, using: &generator))
            let refusal = try #require(Self.passing.randomElement(using: &generator))
            for path in paths { service.set(path, refusal.answer, during: begin..<end) }
            if begin > .zero { changes.append(service.start + begin) }
            told.append("\(refusal.testDescription) from \(begin)")
            begin = end
        }
        try await service.run(for: .seconds(600))
        Self.expectFew(10, changes: changes, service, told)
    }

    /// An origin that gives the parents is not out of reach, and a parent whose listing is gone has that for itself.
    private static let partial: [Refusal] = {
        let all = passing.filter { refusal in
            !refusal.isOutOfReach && !["404", "410"].contains(where: refusal.testDescription.hasPrefix)
        }
        return Proof.sample(all, every: 4)
    }()

    @Test(arguments: partial, [Duration.seconds(5), .seconds(60)])
    func `the listings of many parents get few requests a minute while the parents are answered`(
        _ refusal: Refusal, every span: Duration
    ) async throws {
        let service = try await DayService("2026-03-22T23:00:00Z")
        try service.addFanOut("children", over: 100, every: span, answer: refusal.answer)
        try await service.run(for: .seconds(300))
        Self.expectFew(12, later: 12, service) { $0.hasPrefix("/children") }
        #expect(service.requests.contains { $0.hasPrefix("/children") })
    }

    @Test func `an origin that is there again after an outage has all parents listed soon`() async throws {
        let service = try await DayService("2026-03-22T23:00:00Z")
        try service.addFanOut("children", over: 100, every: .seconds(60), answer: .text("[]"))
        for parent in 0..<100 {
            service.set("/children/\(parent)", .status(.badGateway), during: .zero..<Duration.seconds(120))
        }
        try await service.run(for: .seconds(600))
        let last = (0..<100).compactMap {
            service.moments(of: "/children/\($0)").first { $0 >= service.start + .seconds(120) }
        }
        #expect(last.count == 100)
        #expect(last.allSatisfy { $0 < service.start + .seconds(300) })
    }

    private static func enqueue(_ count: Int, to service: DayService) async throws {
        for number in 0..<count {
            _ = try await service.enqueue("/orders/\(number)", expiry: .seconds(86_400))
        }
    }

    /// - Parameter mostAtFirst: how many requests the first minute may have.
    private static func expectFew(
        _ mostAtFirst: Int, later most: Int = 10, changes: [Timestamp] = [], _ service: DayService,
        _ told: [String] = [],
        of isCounted: (String) -> Bool = { _ in true }
    ) {
        let moments = service.moments(where: isCounted)
        for (index, first) in moments.enumerated() {
            let minute = moments[index...].prefix { $0 - first < .seconds(60) }.count
            guard minute > (first < service.start + .seconds(60) ? mostAtFirst : most) else { continue }
            // The row of one kind of refusal ends where another begins.
            if minute <= 12, changes.contains(where: { first <= $0 && $0 - first < .seconds(60) }) { continue }
            Issue.record("\(minute) requests within a minute: \(told) \(service.requests[index...].prefix(30))")
            return
        }
    }
}
