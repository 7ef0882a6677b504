import HTTPTypes
import SidingChain
import SidingTesting
import Testing

@testable import Siding

/// Credentials that an origin repeats in the links that it gives.
@Suite struct RepeatedCredentialTests {
    @Test(arguments: Engine.allCases, ["API_KEY=s3cret%2Fkey", "token=s3cret/key", "api_key=s3cret%2Fkey"])
    func `a next link that repeats the key under any name brings it into no page`(
        _ engine: Engine, _ repeated: String
    ) async throws {
        var bench = try await EngineBench(engine, ScriptedOrigin())
        bench.resource.source.authorization = .apiKeyQuery("api_key", Secret("test") { "s3cret/key" })
        let key = "api_key=s3cret%2Fkey"
        bench.origin.set("/posts?\(key)", ScriptedOrigin.page("[1]", next: "/posts?page=2&\(repeated)"))
        bench.origin.set("/posts?page=2&\(key)", .status(.internalServerError))
        #expect(try await bench.sync().line.outcome == .queued)
        #expect(try await bench.state().checkpoint?.url.description == "https://api.example.org/posts?page=2")
    }
}
