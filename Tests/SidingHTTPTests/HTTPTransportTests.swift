// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingHTTP
import SidingOrigin
import Testing

@Suite struct HTTPTransportTests {
    @Test func `a GET brings status, header fields and body`() async throws {
        try await asking { (origin, transport) async throws in
            let (reply, bytes) = try await transport.ask(
                try origin.at("/a%2Fb?x=%20%2B&y=1"), headerFields: [.accept: "application/json"])
            #expect(reply.response.status == .ok)
            #expect(reply.response.headerFields[.contentType] == "application/json")
            #expect(String(decoding: bytes, as: UTF8.self) == #"{"answer":42}"#)
            #expect(reply.url.description == "\(origin.url.origin)/a%2Fb?x=%20%2B&y=1")
            let request = try #require(origin.requests.first)
            #expect(request.method == "GET")
            #expect(request.target == "/a%2Fb?x=%20%2B&y=1")
            #expect(request.headerFields[.accept] == "application/json")
            #expect(request.headerFields[.userAgent] == "siding")
            #expect(request.headerFields[HTTPField.Name("Host")!] == origin.url.authority)
        }
    }

    @Test func `a refused connection fails at once as errno, not sent`() async throws {
        // A library that retried on its own would take the whole connect timeout: far longer than a busy machine.
        let patient = TransportSettings().with(\.connectTimeout, .seconds(90)).with(\.totalTimeout, .seconds(90))
        try await asking(patient) { (origin, transport) async throws in
            await origin.stop()
            let start = ContinuousClock.now
            let failure = try #require(await transport.failure(origin.url))
            #expect(failure.reason == .system(.connect(errno: 111)))
            #expect(failure.phase == .notSent)
            #expect(ContinuousClock.now - start < .seconds(30))
        }
    }
}
