// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingTesting
import Testing

@testable import SidingCredentials

/// Programs that share a credential through its directory, and nothing else.
@Suite struct SharedCredentialTests {
    private let state: TemporaryDirectory
    private let origin = RotatingTokenOrigin()
    private var directory: String { state.path(of: "credentials") }

    init() async throws {
        state = try TemporaryDirectory()
        let grant = origin.grant
        try await FileCredentialStore(directory: state.path(of: "credentials")).save(
            Credential(accessToken: grant.accessToken, refreshToken: grant.refreshToken), of: "tracker")
    }

    /// The chain of one program: its own store, gate and safety.
    private func program(_ transport: any Transport) -> some Node<Int, LoadedResponse> {
        let answer = RequestSenderNode(transport).then(ResponseProcessorNode())
            .then(ResponseHTTPErrorProcessorNode()).then(ResponseDataPreprocessorNode()).then(ResponseDataLoaderNode())
        let refresh = RequestRouterNode<Credential> { spent in
            RequestDraft(
                route: RequestRoute(.post, try HTTPURL("https://api.example.com/token")),
                body: .bytes(Array("refresh_token=\(spent.refreshToken ?? "")".utf8)))
        }
        .then(RequestCreatorNode()).then(answer).map { try TokenGrant(parsing: $0.bytes ?? []) }
        var access = AccessSettings(
            account: "tracker", store: FileCredentialStore(directory: directory),
            refresher: TokenRefresherNode(refresh))
        access.gate = FileRefreshGate(directory: directory)
        let safety = AccessSafety(access)
        return RequestRouterNode<Int> {
            RequestDraft(route: RequestRoute(.get, try HTTPURL("https://api.example.com/\($0)")))
        }
        .then(RequestCreatorNode(providers: [AccessTokenProvider()])).then(answer).accessSafe(safety)
    }

    private func failures(programs: Int, calls: Int, _ transport: any Transport) async -> [Failure] {
        await withTaskGroup(of: Failure?.self) { group in
            for _ in 0..<programs {
                let program = program(transport)
                for number in 0..<calls {
                    group.addTask {
                        do throws(Failure) {
                            _ = try await program.process(number, ChainContext(requestID: "test"))
                            return nil
                        } catch { return error }
                    }
                }
            }
            return await group.reduce(into: []) { failures, failure in failure.map { failures.append($0) } }
        }
    }

    @Test func `eight programs with twelve calls each make one refresh per generation, and none twice`() async throws {
        let (origin, hold) = (origin, ManualClock())
        let transport = ScriptedTransport { asked in
            let answer = origin.answer(asked)
            // All 96 are refused before the first one refreshes.
            if case .reply(let response, _, _) = answer, response.status == .unauthorized {
                try? await hold.sleep(for: .seconds(1))
            }
            return answer
        }
        for round in 1...5 {
            origin.expire()
            async let failures = failures(programs: 8, calls: 12, transport)
            await hold.sleepers(96)
            hold.advance(by: .seconds(1))
            #expect(await failures.map(\.description) == [])
            #expect(origin.refreshes == round)
        }
        #expect(origin.reuses == 0)
        let stored = try await FileCredentialStore(directory: directory).credential(of: "tracker")
        #expect(stored?.generation == 6)
        #expect(stored?.accessToken == origin.grant.accessToken)
    }

    @Test func `a refresh without a result is repeated by the program that waited for it`() async throws {
        let (origin, died) = (origin, ManualClock())
        let stuck = ScriptedTransport { asked in
            // It has the gate, and its request comes to nothing in the end.
            if asked.request.path == "/token" { try? await died.sleep(for: .seconds(3600)) }
            return .status(.unauthorized)
        }
        origin.expire()
        let first = Task { await failures(programs: 1, calls: 1, stuck) }
        await died.sleepers(1)
        async let second = failures(programs: 1, calls: 3, ScriptedTransport { origin.answer($0) })
        died.advance(by: .seconds(3600))
        #expect(await first.value.count == 1)
        #expect(await second.isEmpty)
        #expect((origin.refreshes, origin.reuses) == (1, 0))
    }

    @Test func `a sign-in of one program opens the gate of the others`() async throws {
        let origin = origin
        let transport = ScriptedTransport { origin.answer($0) }
        let program = program(transport)
        origin.revoke()
        await #expect(throws: Failure.self) { try await program.process(1, ChainContext(requestID: "test")) }
        let asked = transport.requests.count
        await #expect(throws: Failure.self) { try await program.process(1, ChainContext(requestID: "test")) }
        #expect(transport.requests.count == asked)
        var access = AccessSettings(
            account: "tracker", store: FileCredentialStore(directory: directory),
            refresher: TokenRefresherNode { _, _ in throw RefreshRefusal("not asked") })
        access.gate = FileRefreshGate(directory: directory)
        try await AccessSafety(access).signIn(origin.signIn())
        _ = try await program.process(1, ChainContext(requestID: "test"))
    }
}
