// SPDX-License-Identifier: Apache-2.0
import Foundation
import SidingChain
import SidingCredentials
import SidingSynchronization
import SidingTesting
import Testing

@testable import Siding

/// Programs that sign in as their sources describe it.
@Suite struct SignedInProgramTests {
    private let state: TemporaryDirectory
    private let origin = TokenOrigin()

    init() throws {
        state = try TemporaryDirectory()
    }

    private func client(_ secret: Secret) throws -> OAuthClient {
        OAuthClient(
            tokenURL: try HTTPURL("https://id.test/token"), id: Secret(plain: "me", "'client_id'"), secret: secret,
            authentication: .body)
    }

    @Test func `a program keeps its tokens beside its database unless it sets another place`() async throws {
        let signIn = SignIn(.clientCredentials(try client(Secret("test") { "s3cret-1" })))
        let source = Source(name: "api", baseURL: try HTTPURL("https://api.test"), authorization: .signIn(signIn))
        let siding = try await Siding(
            store: .sqlite(path: state.path(of: "app.db")),
            resources: [AnyResource("x", from: source, at: "/x", key: "id")],
            transports: origin, environment: RuntimeEnvironment(connectivity: TestConnectivity()))
        _ = try? await siding.sync(siding.resources[0])
        #expect(try KeptSignIns(directory: state.path(of: "app.db.credentials")).state(of: "api").hasToken)
    }

    @Test func `writes that wait for a sign-in are sent once another secret is there, and not before`() async throws {
        var bench = try await WriteBench()
        let secret = Mutex("wr0ng")
        bench.sources[0].authorization = .signIn(
            SignIn(.clientCredentials(try client(Secret("test") { secret.withLock { $0 } }))))
        let sender = WriteSender(
            store: bench.store, sources: bench.sources, transports: origin,
            signIns: SignIns(
                directory: state.path(of: "c"), transports: origin,
                environment: RuntimeEnvironment(
                    connectivity: bench.connectivity, clock: ManualClock(), wallClock: bench.time.clock)),
            environment: RuntimeEnvironment(
                connectivity: bench.connectivity, jitter: Jitter { 1 }, clock: ManualClock(),
                wallClock: bench.time.clock))
        try await bench.enqueue("/x")
        #expect(try await sender.drain().map(\.reason) == [.signIn])
        _ = try await sender.drain()
        _ = try await sender.drain()
        #expect(origin.state.withLock(\.forms.count) == 1)
        secret.withLock { $0 = "s3cret-1" }
        #expect(try await sender.drain().map(\.state) == [.done])
        #expect(origin.state.withLock(\.forms.count) == 2)
    }
}
