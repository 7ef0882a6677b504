// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingTesting
import Testing

@testable import Siding

/// What the answer to a delivery probe shows of a write that is not on it, and what a redirect shows.
@Suite struct ProbeEvidenceTests {
    private typealias Lost = WriteProbeTests.Lost

    @Test(
        arguments: [
            .text(#"{"items":[],"timed_out":true}"#), .text(#"{"items":[],"has_more":true}"#),
            .text(#"{"items":[],"next_cursor":"c2"}"#), .text(#"{"items":[],"total":3}"#),
            .text(#"{"items":[],"error":"search timed out"}"#), .text(#"{"items":[],"success":false}"#),
            .text("[]", headerFields: [HTTPField.Name("Link")!: "</issues?page=2>; rel=\"next\""]),
            .text("[]", status: .accepted), .text("[]", status: .init(code: 206)),
            .text("[]", status: .init(code: 207)),
        ] as [ScriptedAnswer])
    func `an answer without the write that is not whole does not show that the origin lacks it`(
        answer: ScriptedAnswer
    ) async throws {
        let lost = try await Lost()
        try await lost.expectUndecided(by: answer)
    }

    @Test(arguments: [#"{"items":[],"total":0,"has_more":false,"next":null}"#, #"{"items":[],"success":true}"#])
    func `a whole answer without the write shows that`(answer: String) async throws {
        let lost = try await Lost()
        lost.bench.origin.set(lost.asked, .text(answer))
        try await lost.drain()
        #expect(try await lost.drain(after: 100) == ["GET \(lost.asked)", "POST /issues"])
    }

    @Test func `a redirect is in doubt once, and a refusal after the origin was asked`() async throws {
        let lost = try await Lost()
        let redirect = Failure(.redirectRefused, phase: .answered, underlying: RedirectedWrite())
        lost.bench.origin.set("/issues", .failure(redirect))
        lost.bench.origin.set(lost.asked, .text("[]"))
        #expect(try await lost.drain() == ["POST /issues"])
        #expect(try await lost.now.unknownSince != nil)
        #expect(try await lost.drain(after: 100) == ["GET \(lost.asked)", "POST /issues"])
        #expect(try await lost.now.reason == .rejected)
    }

    @Test func `a probe that is redirected decides nothing`() async throws {
        let lost = try await Lost()
        try await lost.expectUndecided(by: .failure(Failure(.redirectRefused, phase: .answered)))
    }
}
