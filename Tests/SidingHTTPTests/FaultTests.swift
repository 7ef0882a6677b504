// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingHTTP
import SidingOrigin
import Testing

/// Each fault of an origin, as the transport tells of it.
@Suite struct FaultTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let fault: OriginFault
        let reason: Failure.Reason
        let phase: Failure.Phase
        var testDescription: String { "\(fault) is \(reason.name), \(phase)" }
    }

    static let cases: [Case] = [
        Case(fault: .resetBeforeHead, reason: .system(.established(errno: 104)), phase: .maybeSent),
        Case(fault: .closeBeforeHead, reason: .connectionLost, phase: .maybeSent),
        Case(fault: .refuse, reason: .system(.established(errno: 104)), phase: .maybeSent),
        Case(fault: .garbageHead, reason: .protocolViolation, phase: .maybeSent),
        Case(fault: .hugeHead(size: 8 << 20), reason: .protocolViolation, phase: .maybeSent),
        Case(fault: .resetAfterHead, reason: .system(.established(errno: 104)), phase: .answered),
        Case(fault: .cutBody(chunked: false), reason: .truncated, phase: .answered),
        Case(fault: .cutBody(chunked: true), reason: .truncated, phase: .answered),
        Case(fault: .gzipBomb(size: 8 << 20), reason: .tooLarge(limit: 1 << 20), phase: .answered),
        Case(fault: .brokenGzip, reason: .badContent, phase: .answered),
        Case(fault: .cutGzip, reason: .truncated, phase: .answered),
    ]

    @Test(arguments: cases) func `a fault has its reason and phase`(_ example: Case) async throws {
        try await asking(TransportSettings().with(\.maxBody, 1 << 20)) { (origin, transport) async throws in
            origin.inject(example.fault)
            let failure = try #require(await transport.failure(origin.url))
            #expect(failure.reason == example.reason)
            #expect(failure.phase == example.phase)
            #expect(origin.requests.count == 1, "nothing is tried twice in here")
        }
    }

    @Test(arguments: [500, 503, 401, 404, 429])
    func `a status other than a success is an answer like others`(_ status: Int) async throws {
        try await asking { (origin, transport) async throws in
            origin.inject(.status(status, retryAfter: "7"))
            let (reply, bytes) = try await transport.ask(origin.url)
            #expect(reply.response.status.code == status)
            #expect(reply.response.headerFields[.retryAfter] == "7")
            #expect(!bytes.isEmpty)
        }
    }

    @Test func `the transport does not interpret content`() async throws {
        try await asking { (origin, transport) async throws in
            origin.inject(.notJSON)
            origin.inject(.wrongJSON)
            #expect(try await transport.ask(origin.url).bytes.starts(with: Array("<html>".utf8)))
            #expect(try await transport.ask(origin.url).bytes.count == 7)
        }
    }

    @Test func `an origin that is down refuses, and answers after a restart`() async throws {
        try await asking { (origin, transport) async throws in
            origin.inject(.refuse)
            _ = await transport.failure(origin.url)
            let failure = try #require(await transport.failure(origin.url))
            #expect(failure.reason == .system(.connect(errno: 111)))
            #expect(failure.phase == .notSent)
            try await origin.restart()
            #expect(try await transport.ask(origin.url).reply.response.status == .ok)
        }
    }

    @Test func `an unrequested answer is never taken for the answer to a later request`() async throws {
        try await asking(handler: { .json($0.target) }) { (origin, transport) async throws in
            origin.inject(.unaskedAnswer, times: nil)
            for number in 1...20 {
                do throws(Failure) {
                    let reply = try await transport.send(
                        try HTTPURL("\(origin.url)\(number)").request(.get), body: .none)
                    let bytes = try await reply.body.collect(upTo: 100)
                    #expect(String(decoding: bytes, as: UTF8.self) == "/\(number)")
                } catch {
                    #expect(
                        error.reason == .connectionLost, "the connection may be gone when the next request takes it")
                }
            }
        }
    }

    @Test func `an unknown coding of the body is bad content`() async throws {
        let brotli = OriginResponse(headerFields: [.contentEncoding: "br"], body: [1, 2, 3])
        try await asking(handler: { _ in brotli }) { (origin, transport) async throws in
            let failure = try #require(await transport.failure(origin.url))
            #expect(failure.reason == .badContent)
            #expect(failure.phase == .answered)
        }
    }
}
