// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingHTTP
import SidingOrigin
import SidingSynchronization
import Testing

@Suite struct RedirectAdmissionTests {
    @Test func `each further request of a redirect is admitted before it is sent`() async throws {
        try await asking { (origin, transport) async throws in
            origin.inject(.redirect(302, to: "/b"), at: OriginPattern(path: "/a"))
            origin.inject(.redirect(302, to: "/c"), at: OriginPattern(path: "/b"))
            let admitted = Mutex<[String]>([])
            let reply = try await transport.send(try origin.at("/a").request(.get), body: .none) { url in
                let came = origin.requests.map(\.path)
                admitted.withLock { $0.append("\(url.path) after \(came)") }
            }
            #expect(reply.url.path == "/c")
            #expect(admitted.withLock { $0 } == [#"/b after ["/a"]"#, #"/c after ["/a", "/b"]"#])
        }
    }

    @Test func `a request that is not admitted is not sent`() async throws {
        try await asking { (origin, transport) async throws in
            origin.inject(.redirect(302, to: "/b"), at: OriginPattern(path: "/a"))
            let request = try origin.at("/a").request(.get)
            let failure = await #expect(throws: Failure.self) {
                try await transport.send(request, body: .none) { (_) throws(Failure) in
                    throw Failure(.waitingForOrigin, phase: .answered)
                }
            }
            #expect(failure?.reason == .waitingForOrigin)
            #expect(origin.requests.map(\.path) == ["/a"])
        }
    }
}
