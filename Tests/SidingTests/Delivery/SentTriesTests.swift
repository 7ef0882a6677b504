// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingTesting
import Testing

@testable import Siding

/// What may begin once a sender was told to stop.
@Suite struct SentTriesTests {
    private let origin = ScriptedOrigin(["/orders": .status(.created)])
    private let tries = SentTries()

    private func send(_ method: HTTPRequest.Method) async throws(Failure) -> Reply {
        let transport = tries.noting(origin.transport(for: "shop", TransportSettings()))
        let request = HTTPRequest(method: method, scheme: "https", authority: "shop.test", path: "/orders")
        return try await transport.send(request, body: .none)
    }

    @Test func `a write that has not begun when its sender stops does not begin: it would be cancelled on its way`()
        async throws
    {
        #expect(!tries.stop())
        await #expect {
            _ = try await send(.post)
        } throws: { error in
            let failure = error as? Failure
            return failure?.reason == .cancelled && failure?.phase == .notSent
        }
        #expect(origin.waiting == 0)
        #expect(!tries.stop())
    }

    @Test func `a write that has begun has time for its answer, and for a look at the record`() async throws {
        _ = try await send(.post)
        #expect(tries.stop())
        await #expect {
            _ = try await send(.post)
        } throws: { error in
            let failure = error as? Failure
            return failure?.reason == .cancelled && failure?.phase == .notSent
        }
        _ = try await send(.get)
        #expect(origin.takeRequests().map(\.method) == [.post, .get])
    }
}
