// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingJSON
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

        init(_ status: HTTPResponse.Status, wait: String? = nil, _ body: String = "", isPage: Bool = false) {
            testDescription = "\(status.code) \(wait.map { "Retry-After: '\($0)'" } ?? "") \(body)"
            var fields: HTTPFields = [.contentType: isPage ? "text/html" : "application/json"]
            if let wait { fields[HTTPField.Name("Retry-After")!] = wait }
            answer = .text(body, status: status, headerFields: fields)
        }

        init(_ failure: Failure) {
            testDescription = "\(failure)"
            answer = .failure(failure)
        }
    }

    /// The most requests within any minute.
    private static func most(_ moments: [Timestamp]) -> Int {
        moments.indices.map { index in moments[index...].prefix { $0 - moments[index] < .seconds(60) }.count }.max()
            ?? 0
    }

    /// Refusals that say nothing of the single request: the whole origin is in trouble.
    private static let outages = [
        Refusal(.serviceUnavailable), Refusal(.serviceUnavailable, wait: "0"), Refusal(.tooManyRequests),
        Refusal(.badGateway), Refusal(.internalServerError), Refusal(Failure(.connectionLost, phase: .maybeSent)),
        Refusal(Failure(.cantConnectToHost(.refused), phase: .notSent)),
    ]

    @Test(arguments: outages, [1, 3, 10])
    func `in an outage no minute has more than ten requests, the first one included`(
        _ refusal: Refusal, resources: Int
    ) async throws {
        for (writes, retries) in [(0, 2), (10, 0), (10, 2)] {
            let service = try await DayService("2026-03-22T23:00:00Z")
            (service.retries, service.jitter) = (retries, retries == 0 ? .none : Jitter { 0 })
            for number in 0..<resources {
                try service.add(
                    "r\(number)", by: IntervalSchedule(every: .seconds(1)), from: "shop", answer: refusal.answer)
            }
            for number in 0..<writes {
                service.set("/orders/\(number)", refusal.answer)
                _ = try await service.enqueue("/orders/\(number)", expiry: .seconds(86_400))
            }
            try await service.run(for: .seconds(300))
            let moments = service.moments
            #expect(Self.most(moments) <= 10, "\(retries) retries: \(service.requests.prefix(30))")
            // A wait of nothing, which the jitter for retries gives, is over at the look that it follows.
            #expect(moments.count >= (retries == 0 ? 3 : 1), "\(writes) writes: it is asked again")
        }
    }

    @Test(arguments: outages)
    func `a sync of many resources asks such an origin a few times, and leaves the others in the queue`(
        _ refusal: Refusal
    ) async throws {
        let origin = ScriptedOrigin()
        for number in 0..<10 { origin.set("/r\(number)", refusal.answer) }
        var bench = try await EngineBench(origin)
        bench.resource.source.retry = RetryPolicy(backoff: Backoff(base: .zero, cap: .zero))
        let resources = (0..<10).map {
            AnyResource("r\($0)", from: bench.resource.source, at: "/r\($0)", key: "id", paging: .none)
        }
        let reports = try await bench.engine().run(resources)
        #expect(reports.allSatisfy { $0.result.outcome == .queued })
        // Five tries close the gate, and two of them are sent again at once.
        #expect((1...7).contains(bench.origin.takeTargets().count))
        // Who asks by hand finds out at once whether it is over, by one request.
        bench.time.advance(by: .seconds(60))
        _ = try await bench.engine().run(resources)
        #expect(bench.origin.takeTargets().count == 1)
        for number in 0..<10 { origin.set("/r\(number)", ScriptedOrigin.page("[1]")) }
        bench.time.advance(by: .seconds(60))
        #expect(try await bench.engine().run(resources).allSatisfy { $0.result.outcome == .saved })
    }

    @Test func `a fan-out asks such an origin a few times, and goes on with all parents once it works`() async throws {
        let origin = ScriptedOrigin()
        origin.set("/posts", ScriptedOrigin.page("[\((1...30).map(String.init).joined(separator: ","))]"))
        for number in 1...30 { origin.set("/posts/\(number)/comments", .status(.badGateway)) }
        var bench = try await EngineBench(origin)
        bench.resource.source.retry = RetryPolicy(backoff: Backoff(base: .zero, cap: .zero))
        var comments = bench.resource
        (comments.name, comments.path) = ("comments", "/posts/{post}/comments")
        comments.forEach = ForEach("posts", bind: ["post": JSONPath(member: "id")], concurrency: 4)
        _ = try await bench.sync()
        _ = bench.origin.takeTargets()
        _ = try await bench.engine().sync(comments)
        let asked = bench.origin.takeTargets().count
        #expect((4...10).contains(asked), "\(asked)")
        for number in 1...30 { origin.set("/posts/\(number)/comments", ScriptedOrigin.page("[\(number)]")) }
        bench.time.advance(by: .seconds(3_600))
        #expect(try await bench.engine().sync(comments).result.outcome == .saved)
    }

    @Test func `a single failure of each page is retried within the call`() async throws {
        let origin = ScriptedOrigin.posts()
        origin.set(
            "/posts", .status(.badGateway), .status(.badGateway), ScriptedOrigin.page("[1]", next: "/posts?page=2"))
        origin.set("/posts?page=2", .status(.badGateway), .status(.badGateway), ScriptedOrigin.page("[2]"))
        var bench = try await EngineBench(origin)
        bench.resource.source.retry = RetryPolicy(backoff: Backoff(base: .zero, cap: .zero))
        #expect(try await bench.sync().result.outcome == .saved)
        #expect(bench.origin.takeTargets().count == 6)
        #expect(try await bench.store.gates() == [])
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
    func `it gets no more than ten requests a minute after the first`(_ refusal: Refusal) async throws {
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
        // What is under way at once when the first refusals come is not held back any more.
        for (index, first) in moments.enumerated() {
            let minute = moments[index...].prefix { $0 - first < .seconds(60) }.count
            guard minute > (first < service.start + .seconds(60) ? 20 : 10) else { continue }
            Issue.record("\(minute) requests within a minute: \(service.requests[index...].prefix(30))")
            return
        }
    }
}
