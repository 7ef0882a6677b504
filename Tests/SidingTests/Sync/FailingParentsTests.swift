// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingTesting
import Testing
import TestSupport

@testable import Siding

/// A service lists the other parents of a fan-out by the schedule, however some of them fail.
@Suite(.timeLimit(.minutes(5))) struct FailingParentsTests {
    private static let refusal = ScriptedAnswer.status(.internalServerError)
    private static let span = Duration.seconds(300)

    /// How long a parent was not listed, at most.
    private static func longestPause(
        of parent: Int, in service: DayService, after first: Duration = .zero, until end: Duration
    ) -> Duration {
        let moments = service.moments(of: "/children/\(parent)").map { $0 - service.start }.filter { $0 >= first }
        let all = [first] + moments + [end]
        return zip(all.dropFirst(), all).map { $0 - $1 }.max() ?? .zero
    }

    private static func service(
        every span: Duration = span, _ answer: ScriptedAnswer = .text("[]"), paging: Paging = .none
    ) async throws -> DayService {
        let service = try await DayService("2026-03-22T23:00:00Z")
        try service.addFanOut("children", over: 12, every: span, answer: answer, paging: paging)
        return service
    }

    @Test(
        arguments: Proof.choose(short: [5], middle: [1, 5, 11], long: Array(1...11)),
        [Duration.seconds(5), .seconds(300)])
    func `a first page that always fails hardly keeps the others from being listed`(
        _ failing: Int, every span: Duration
    ) async throws {
        let service = try await Self.service(every: span)
        let bad = (3..<3 + failing).map { $0 % 12 }
        for parent in bad { service.set("/children/\(parent)", Self.refusal) }
        let end = Duration.seconds(3_600)
        try await service.run(for: end)
        for parent in Set(0..<12).subtracting(bad).sorted() {
            // Five in a row stop the pass for a minute, up to three times. Fewer are asked again in between.
            let longest = Self.longestPause(of: parent, in: service, until: end)
            #expect(longest <= span + .seconds(failing < 5 ? 70 : 200), "parent \(parent)")
        }
        let asked = service.moments(of: "/children/\(bad[0])")
        #expect(asked.allSatisfy { first in asked.count { $0 >= first && $0 - first < .seconds(60) } <= 10 })
    }

    @Test(arguments: Proof.sample([1, 5, 7], every: 2))
    func `nor does a later page that always fails`(_ failing: Int) async throws {
        let service = try await Self.service(paging: .linkHeader)
        for parent in 0..<failing {
            let path = "/children/\(parent)"
            service.set(path, ScriptedOrigin.page("[\(parent + 100)]", next: "\(path)?page=2"))
            service.set("\(path)?page=2", Self.refusal)
        }
        let end = Duration.seconds(7_200)
        try await service.run(for: end)
        for parent in failing..<12 {
            let longest = Self.longestPause(of: parent, in: service, until: end)
            #expect(longest <= Self.span + .seconds(failing < 5 ? 70 : 260), "parent \(parent)")
        }
    }

    /// A source that wants a sign-in is asked at the moments of the schedule alone, up to four times for a pass. One round more or
    /// less depends on what is answered first.
    @Test(arguments: Proof.sample([(403, 20), (404, 20), (429, 15), (503, 15), (401, 7)], every: 2))
    func `one that fails for its source, or for good, does not keep the others from their turn`(
        _ status: Int, times: Int
    ) async throws {
        let service = try await Self.service()
        service.set("/children/3", .status(.init(code: status)))
        try await service.run(for: .seconds(7_200))
        for parent in [0, 2, 4, 11] {
            #expect(service.moments(of: "/children/\(parent)").count >= times, "\(parent): \(service.requests)")
        }
    }

    @Test func `nor does one that fails beside one that is skipped, and new ones`() async throws {
        let service = try await Self.service()
        service.set("/children/3", Self.refusal)
        for hour in 0..<8 {
            let moments = Duration.seconds(900 * hour)..<Duration.seconds(900 * (hour + 1))
            service.set("/parents", DayService.parents(12 + hour, without: 5), during: moments)
            service.set("/children/\(12 + hour)", .text("[]"))
        }
        let end = Duration.seconds(7_200)
        try await service.run(for: end)
        for parent in [0, 1, 2, 4, 6, 11] {
            #expect(Self.longestPause(of: parent, in: service, until: end) <= Self.span + .seconds(70), "\(parent)")
        }
        #expect(Self.longestPause(of: 12, in: service, after: .seconds(1_800), until: end) <= Self.span + .seconds(70))
        #expect(service.moments(of: "/children/5").isEmpty)
    }

    @Test func `nor does one while the clock is set back`() async throws {
        let service = try await Self.service()
        service.set("/children/3", Self.refusal)
        try await service.run(for: .seconds(1_800))
        let before = service.moments(of: "/children/0").count
        service.setBack(by: .seconds(7_200))
        try await service.run(for: .zero)
        let after = service.moments(of: "/children/0").count - before
        #expect(after >= 12, "\(after) times in an hour and a half")
    }

    @Test func `parents that are left do not fill the queue while the origin asks to wait`() async throws {
        let service = try await DayService("2026-03-22T23:00:00Z")
        try service.addFanOut("children", over: 100, every: Self.span, answer: .text("[]"))
        let wait = ScriptedAnswer.text("", status: .tooManyRequests, headerFields: [.retryAfter: "7200"])
        for parent in 3..<100 { service.set("/children/\(parent)", wait) }
        try await service.run(for: .seconds(7_000))
        #expect(service.moments(where: { $0.hasPrefix("/children") }).count <= 10, "\(service.requests)")
        let entries = try await service.store.entries(QueueSelection())
        #expect(entries.count <= 10, "\(entries.map(\.url))")
    }

    @Test func `a listing goes on at its page, however long the origin asks to wait`() async throws {
        let service = try await DayService("2026-03-22T23:00:00Z")
        try service.addFanOut(
            "children", over: 3, every: Self.span, answer: .text("[]"), paging: .linkHeader)
        let (first, second, open) = ("/children/0", "/children/0?page=2", Duration.seconds(7_000))
        let wait = ScriptedAnswer.text("", status: .tooManyRequests, headerFields: [.retryAfter: "3600"])
        service.set(first, ScriptedOrigin.page("[1]", next: second))
        service.set(second, .text("[2]"))
        service.set(second, wait, during: .zero..<open)
        try await service.run(for: .seconds(9_000))
        let answered = try #require(service.moments(of: second).first { $0 >= service.start + open })
        #expect(service.moments(of: first).count { $0 < answered } == 1, "\(service.requests)")
        #expect(service.moments(of: "/children/2").count >= 3)
    }
}
