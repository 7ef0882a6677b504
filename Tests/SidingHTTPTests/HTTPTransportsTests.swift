// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingHTTP
import SidingOrigin
import Testing

@Suite struct HTTPTransportsTests {
    @Test func `two accounts never share a connection, and one account keeps its own`() async throws {
        let origin = try await Origin.start { _ in .json("1") }
        let transports = HTTPTransports()
        for account in ["a", "b", "a", "b"] {
            let transport = transports.transport(for: account, TransportSettings())
            let reply = try await transport.send(
                origin.url.request(.get, headerFields: [.authorization: account]), body: .none)
            _ = try await reply.body.collect(upTo: 10)
        }
        let accounts = Dictionary(grouping: origin.requests, by: \.connection)
            .mapValues { Set($0.compactMap { $0.headerFields[.authorization] }) }
        #expect(accounts == [1: ["a"], 2: ["b"]])
        await transports.shutdown()
        await origin.stop()
    }

    @Test func `a shutdown ends every transport that was made`() async throws {
        let transports = HTTPTransports()
        let transport = transports.transport(for: "a", TransportSettings())
        await transports.shutdown()
        let request = try HTTPURL("http://127.0.0.1/").request(.get)
        let failure = await #expect(throws: Failure.self) { try await transport.send(request, body: .none) }
        #expect(failure?.reason == .cancelled)
    }
}
