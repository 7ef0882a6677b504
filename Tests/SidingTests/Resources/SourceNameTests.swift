// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingCredentials
import SidingTesting
import Testing

@testable import Siding

/// Sources are found by their names, and with them origins and credentials.
@Suite struct SourceNameTests {
    @Test(arguments: [
        ("https://api.example.com", "s-api-example-com"), ("https://api.example.com/", "s-api-example-com"),
        ("https://api.example.com:8443", "s-api-example-com-8443"),
        ("https://API.example.com/v2/", "s-api-example-com-v2"),
        ("https://api.example.com/tenant_7/v2", "s-api-example-com-tenant-7-v2"), ("http://[::1]:80", "s-1"),
        ("http://127.0.0.1:8080/%C3%A9", "s-127-0-0-1-8080-c3-a9"),
    ])
    func `a source without a name is named after its host, port and path`(url: String, name: String) throws {
        #expect(try Source(baseURL: url).name == name)
    }

    private func siding(_ sources: [Source], _ resources: [any SyncedResource] = []) async throws -> Siding {
        let bench = try await WriteBench()
        return try await Siding(
            store: .store(bench.store), resources: resources, sources: sources, transports: bench.origin)
    }

    private func refusal(_ sources: [Source], _ resources: [any SyncedResource] = []) async throws -> String {
        let error = try await #require(throws: StoreError.self) { try await siding(sources, resources) }
        #expect(error.kind == .invalidName)
        return error.message
    }

    @Test func `two different sources of one name are refused`() async throws {
        let (one, other) = (Authorization.bearer { "one" }, Authorization.bearer { "other" })
        let first = try Source(baseURL: "https://api.example.com", authorization: one)
        #expect(
            try await refusal([first, Source(baseURL: "https://api.example.com", authorization: other)])
                == "two sources are named 's-api-example-com', both of https://api.example.com/, with different credentials or "
                + "header fields")
        let elsewhere = Source(name: first.name, baseURL: try HTTPURL("https://elsewhere.example"), authorization: one)
        #expect(
            try await refusal([first, elsewhere]).contains("of https://api.example.com/ and https://elsewhere.example/")
        )
        var fields = first
        fields.headerFields[.accept] = "text/plain"
        _ = try await refusal([first, fields])
    }

    @Test func `copies of a source, and sources without credentials, may be given again`() async throws {
        let source = try Source(baseURL: "https://api.example.com", authorization: .bearer { "token" })
        _ = try await siding([source, source])
        _ = try await siding([Source(baseURL: "https://a.example"), Source(baseURL: "https://a.example")])
    }

    @Test func `two resources of one name are refused`() async throws {
        let source = try Source(baseURL: "https://api.example.com")
        let resource = AnyResource("issues", from: source, at: "/issues", key: "id")
        #expect(try await refusal([], [resource, resource]) == "two resources are named 'issues'")
    }
}
