// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingCredentials
import SidingJSON
import SidingTesting
import Testing

@testable import Siding

/// Credentials that an origin repeats in the links that it gives.
@Suite struct RepeatedCredentialTests {
    @Test(arguments: ["API_KEY=s3cret%2Fkey", "token=s3cret/key", "api_key=s3cret%2Fkey"])
    func `a next link that repeats the key under any name brings it into no page`(
        _ repeated: String
    ) async throws {
        var bench = try await EngineBench(ScriptedOrigin())
        bench.resource.source.authorization = .apiKeyQuery("api_key", Secret("test") { "s3cret/key" })
        let key = "api_key=s3cret%2Fkey"
        bench.origin.set("/posts?\(key)", ScriptedOrigin.page("[1]", next: "/posts?page=2&\(repeated)"))
        bench.origin.set("/posts?page=2&\(key)", .status(.internalServerError))
        #expect(try await bench.sync().result.outcome == .queued)
        #expect(try await bench.state().checkpoint?.url.description == "https://api.example.org/posts?page=2")
    }

    @Test(
        arguments: ["tenant=acme-corp", "filter=of:acme-corp,open", "tenant[name]=acme-corp", "tenant=12345678", ""])
    func `a parameter that the config writes stays, though a credential is spelt alike`(
        _ written: String
    ) async throws {
        var bench = try await EngineBench(ScriptedOrigin())
        var key = "acme-corp"
        switch written {
        case "tenant=acme-corp": bench.resource.query = ["tenant": "acme-corp"]
        case "filter=of:acme-corp,open": bench.resource.query = ["filter": "of:acme-corp,open"]
        case "tenant=12345678": (bench.resource.query, key) = (["tenant": 12_345_678], "12345678")
        case "tenant[name]=acme-corp": bench.resource.query = ["tenant": ["name": "acme-corp"]]
        default: bench.resource.path = "/acme-corp"
        }
        bench.resource.source.authorization = .apiKeyHeader(
            HTTPField.Name("X-Tenant")!, Secret("test") { [key] in key })
        let first = try #require(
            try NextPageRule(resource: bench.resource).first().url.description.split(separator: ".org").last)
        let own = written.isEmpty ? "tenant=acme-corp" : String(first.split(separator: "?").last ?? "")
        let path = written.isEmpty ? "/acme-corp" : "/posts"
        bench.origin.set(String(first), ScriptedOrigin.page("[1]", next: "\(path)?\(own)&page=2"))
        bench.origin.set("\(path)?\(own)&page=2", ScriptedOrigin.page("[2]"))
        #expect(try await bench.sync().result.outcome == .saved)
        #expect(try await bench.keys() == ["1", "2"])
    }

    @Test(
        arguments: ["s3cret%2Fkey", "h=Bearer+s3cret/key", "at=1,s3cret%2Fkey", "s3cret%2fkey=1&x[]=1"])
    func `a next link that repeats the key inside of a parameter brings it into no page`(
        _ repeated: String
    ) async throws {
        var bench = try await EngineBench(ScriptedOrigin())
        bench.resource.source.authorization = .bearer { "s3cret/key" }
        bench.origin.set("/posts", ScriptedOrigin.page("[1]", next: "/posts?page=2&\(repeated)"))
        _ = try await bench.sync()
        let asked = bench.origin.takeTargets()
        #expect(asked.count == 2 && asked.last?.hasPrefix("/posts?page=2") == true)
        #expect(!asked.contains { $0.lowercased().contains("s3cret") })
    }

    @Test(arguments: ["/posts/s3cret%2Fkey/2", "/s3cret/key?page=2"])
    func `a next link with the key in its path is a fault of the page: nothing is requested, nothing is stored`(
        _ next: String
    ) async throws {
        var bench = try await EngineBench(ScriptedOrigin())
        bench.resource.source.authorization = .bearer { "s3cret/key" }
        bench.origin.set("/posts", ScriptedOrigin.page("[1]", next: next))
        let report = try await bench.sync()
        #expect(report.result.outcome == .failed && report.failure?.reason == .contract)
        let message = try #require(report.result.error?.message)
        #expect(message.contains("a credential of the source in its path") && !message.contains("s3cret"))
        #expect(bench.origin.takeTargets() == ["/posts"])
        #expect(try await bench.keys() == [])
        #expect(try await bench.queue() == [])
    }

    @Test func `a token with the key in it is sent in no body`() async throws {
        var bench = try await EngineBench(ScriptedOrigin())
        bench.resource.source.authorization = .bearer { "s3cret/key" }
        bench.resource.method = .post
        bench.resource.paging = .cursor(JSONPath(member: "next"), parameter: .body(JSONPath(member: "after")))
        bench.origin.set("/posts", .text(#"{"items":[{"id":1}],"next":"of s3cret/key"}"#))
        let message = try #require(try await bench.sync().result.error?.message)
        #expect(message.contains("a credential of the source in its body") && !message.contains("s3cret"))
        #expect(bench.origin.takeTargets() == ["/posts"])
        #expect(try await bench.keys() == [])
    }

    @Test func `an unusable address is reported without the key`() async throws {
        for next in ["ftp://api.example.org/s3cret/key", "/posts/s3cret/key?x=\u{FFFD}"] {
            var bench = try await EngineBench(ScriptedOrigin())
            bench.resource.source.authorization = .bearer { "s3cret/key" }
            bench.origin.set("/posts", ScriptedOrigin.page("[1]", next: next))
            let message = try #require(try await bench.sync().result.error?.message)
            #expect(message.contains("the address of the next page") && !message.contains("s3cret"))
        }
    }

    @Test func `a next link that was not UTF-8 is a fault of the page, and nothing else is requested`() async throws {
        let bench = try await EngineBench(ScriptedOrigin())
        bench.origin.set("/posts", ScriptedOrigin.page("[1]", next: "/posts?page=2&x=\u{FFFD}"))
        #expect(try await bench.sync().result.error?.message.contains("is not UTF-8") == true)
        #expect(bench.origin.takeTargets() == ["/posts"])
    }

    @Test func `a next link that repeats a key which is the user's name brings it into no page`() async throws {
        var bench = try await EngineBench(ScriptedOrigin())
        bench.resource.source.authorization = .basic(user: Secret("test") { "s3cret-key" })
        bench.origin.set("/posts", ScriptedOrigin.page("[1]", next: "/posts?page=2&token=s3cret-key"))
        bench.origin.set("/posts?page=2", .status(.internalServerError))
        #expect(try await bench.sync().result.outcome == .queued)
        #expect(try await bench.state().checkpoint?.url.description == "https://api.example.org/posts?page=2")
    }
}
