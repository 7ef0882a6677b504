// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import SidingChain
import SidingJSON
import SidingNodes
import SidingSynchronization
import SidingTesting
import Testing

@testable import SidingCredentials

/// Sign-ins that the library makes of a description: over files, with what the secrets say now.
@Suite struct SignInsTests {
    private let state: TemporaryDirectory
    private let origin = TokenOrigin()
    private let time = ManualWallClock()

    init() throws {
        state = try TemporaryDirectory()
    }

    private func client(_ secret: Secret) throws -> OAuthClient {
        OAuthClient(
            tokenURL: try HTTPURL("https://id.test/token"), id: Secret(plain: "me", "'client_id'"), secret: secret,
            authentication: .body)
    }

    private func signIns() -> SignIns {
        SignIns(
            directory: state.path(of: "c"), transports: origin,
            environment: RuntimeEnvironment(
                connectivity: TestConnectivity(), clock: ManualClock(), wallClock: time.clock))
    }

    private func safety(_ signIn: SignIn, _ signIns: SignIns, at url: String = "https://api.test") throws
        -> AccessSafety
    {
        let signedIn = signIns.signedIn(
            .signIn(signIn), of: "api", at: try HTTPURL(url), headerFields: [:], TransportSettings())
        return try #require(signedIn.access)
    }

    private func call(_ safety: AccessSafety) async -> Failure? {
        var assembly = ChainAssembly(
            transport: origin.transport(for: "", TransportSettings()), connectivity: TestConnectivity())
        assembly.access = safety
        let builder = URLChainBuilder(assembly)
        do throws(Failure) {
            let chain: Chain<Void, Void> = try builder.route(.post, HTTPURL("https://api.test/x")).build()
            try await chain()
            return nil
        } catch {
            return error
        }
    }

    @Test func `one source has one guard for all callers, and other authorizations are unchanged`() async throws {
        let signIns = signIns()
        let signIn = SignIn(.clientCredentials(try client(Secret("test") { "wr0ng" })))
        #expect(await call(try safety(signIn, signIns)) != nil)
        #expect(await call(try safety(signIn, signIns)) != nil)
        #expect(origin.state.withLock(\.forms.count) == 1)
        let plain = signIns.signedIn(
            .bearer { "t" }, of: "b", at: try HTTPURL("https://b.test"), headerFields: [:], TransportSettings())
        #expect(plain.kind == "bearer")
    }

    @Test func `a refused secret is not offered again, until another stands in its place`() async throws {
        let secret = Mutex("wr0ng")
        let signIn = SignIn(.clientCredentials(try client(Secret("test") { secret.withLock { $0 } })))
        let safety = try safety(signIn, signIns())
        for _ in 0..<3 { #expect(await call(safety)?.underlying is RefreshRefusal) }
        #expect(origin.state.withLock(\.forms.count) == 1)
        let kept = try KeptSignIns(directory: state.path(of: "c")).state(of: "api")
        #expect(!kept.hasToken && kept.refusal == "401 invalid_client" && kept.refusedAt == time.clock.now)
        secret.withLock { $0 = "s3cret-1" }
        #expect(await call(safety) == nil)
        #expect(origin.state.withLock(\.forms.count) == 2)
        #expect(try KeptSignIns(directory: state.path(of: "c")).state(of: "api").refusal == nil)
    }

    @Test func `while all is well the secrets are read for the token alone, not for each request`() async throws {
        let reads = Mutex(0)
        let secret = Secret("test") {
            reads.withLock { $0 += 1 }
            return "s3cret-1"
        }
        let safety = try safety(SignIn(.clientCredentials(try client(secret))), signIns())
        #expect(await call(safety) == nil)
        let afterFirst = reads.withLock { $0 }
        for _ in 0..<5 { #expect(await call(safety) == nil) }
        #expect(reads.withLock { $0 } == afterFirst)
    }

    @Test func `a token is for the origin that it was got for`() async throws {
        let signIn = SignIn(.clientCredentials(try client(Secret("test") { "s3cret-1" })))
        #expect(await call(try safety(signIn, signIns())) == nil)
        let same = try await safety(signIn, signIns()).credential()
        #expect(same.accessToken == "t1")
        // The config gives the name to another origin.
        let other = try await safety(signIn, signIns(), at: "https://elsewhere.test").credential()
        #expect(other.accessToken == "" && other.generation == 1)
    }

    @Test func `a refresh token belongs to the credential that it stems from`() async throws {
        let first = Mutex("first-1")
        let secret = Mutex("s3cret-1")
        let signIn = SignIn(
            .refreshToken(
                try client(Secret("test") { secret.withLock { $0 } }),
                first: Secret("first") { first.withLock { $0 } }))
        #expect(await call(try safety(signIn, signIns())) == nil)
        #expect(try await safety(signIn, signIns()).credential().refreshToken == "r1")
        // Another client secret: the kept refresh token is renewed by it.
        secret.withLock { $0 = "s3cret-2" }
        let renewable = try await safety(signIn, signIns()).credential()
        #expect(renewable.accessToken == "" && renewable.refreshToken == "r1")
        // Another first refresh token: the kept one is not used any more.
        first.withLock { $0 = "first-2" }
        let anew = try await safety(signIn, signIns()).credential()
        #expect(anew.accessToken == "" && anew.refreshToken == "first-2")
    }

    @Test func `an empty refresh token replaces none, and where one was lost the first is used again`() async throws {
        let signIn = SignIn(
            .refreshToken(try client(Secret("test") { "s3cret-1" }), first: Secret("first") { "first-1" }))
        #expect(await call(try safety(signIn, signIns())) == nil)
        // The token is refused from now on, and renewed.
        origin.state.withLock { ($0.refreshToken, $0.given) = ("", $0.given + 1) }
        #expect(await call(try safety(signIn, signIns())) == nil)
        var kept = try await safety(signIn, signIns()).credential()
        #expect(kept.accessToken == "t3" && kept.refreshToken == "r1")
        kept.refreshToken = ""
        let files = FileCredentialStore(directory: state.path(of: "c"))
        try await files.save(kept, of: "api")
        #expect(try await safety(signIn, signIns()).credential().refreshToken == "first-1")
    }

    @Test func `a token that was forgotten meanwhile is requested anew, by the call under way too`() async throws {
        let signIn = SignIn(.clientCredentials(try client(Secret("test") { "s3cret-1" })))
        let signIns = signIns()
        let safety = try safety(signIn, signIns)
        #expect(await call(safety) == nil)
        let kept = KeptSignIns(directory: state.path(of: "c"))
        #expect(try await kept.forget("api"))
        #expect(try await kept.forget("api") == false)
        #expect(await call(safety) == nil)
        #expect(try kept.state(of: "api").generation == 4)
        #expect(origin.state.withLock(\.given) == 2)
        // Forgotten between a request and its 401.
        origin.state.withLock { state in
            state.given += 1
            state.atRefusal = { _ = try? await kept.forget("api") }
        }
        #expect(await call(safety) == nil)
        #expect(origin.state.withLock(\.given) == 4)
    }

    @Test func `no secret stands in the file of a token`() async throws {
        let signIn = SignIn(
            .refreshToken(try client(Secret("test") { "s3cret-1" }), first: Secret("first") { "first-1" }))
        #expect(await call(try safety(signIn, signIns())) == nil)
        let text = try String(contentsOfFile: state.path(of: "c/api"), encoding: .utf8)
        #expect(text.contains("\"t1\"") && text.contains("\"r1\""))
        #expect(!text.contains("s3cret-1") && !text.contains("first-1"))
    }

    @Test func `without a place for its tokens a source gets no request`() async throws {
        let signIn = SignIn(.clientCredentials(try client(Secret("test") { "s3cret-1" })))
        let provider = AuthorizationProvider(authorization: .signIn(signIn))
        await #expect { try await provider.metadata(ChainContext(requestID: "test")) } throws: { error in
            (error as? Failure)?.reason == .credentialUnavailable
        }
    }
}
