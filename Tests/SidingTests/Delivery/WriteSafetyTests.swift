// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingCredentials
import SidingTesting
import Testing

@testable import Siding

/// Credentials belong to the source; the queue keeps none.
@Suite struct WriteSafetyTests {
    private func write(_ path: String = "/x", _ fields: [String: String] = [:]) throws -> WriteRequest {
        var headerFields: HTTPFields = [:]
        for (name, value) in fields { headerFields[try #require(HTTPField.Name(name))] = value }
        return WriteRequest(to: "api", .post, try HTTPURL("https://api.test\(path)"), headerFields: headerFields)
    }

    @Test(arguments: [
        "Authorization", "Cookie", "X-API-Key", "X-Auth-Key", "X-Session-Id", "X-Siding-Pass", "X-Access-Key",
        "X-CSRF-Token",
        "X-Amz-Signature", "Ocp-Apim-Subscription-Key",
    ])
    func `a header field that carries a credential is refused`(name: String) throws {
        #expect(throws: StoreError.self) { try WriteSafety.check(write("/x", [name: "c4n4ry"])) }
    }

    @Test(arguments: ["X-Partition-Key", "X-Bypass-Cache", "Prefer", "X-Author", "Content-Type", "X-Request-Id"])
    func `a header field that carries none is taken`(name: String) throws {
        try WriteSafety.check(write("/x", [name: "value"]))
    }

    @Test(arguments: ["/x?api_key=1", "/x?sig=1", "/x?a=b&X-Amz-Signature=1", "/x?ac%63ess_token=1"])
    func `a query parameter that carries a credential is refused`(path: String) throws {
        #expect(throws: StoreError.self) { try WriteSafety.check(write(path)) }
    }

    @Test func `the place of the source's own credential is refused, under any name`() throws {
        var source = Source(name: "api", baseURL: try HTTPURL("https://api.test"))
        let secret = Secret("test") { "c4n4ry" }
        try source.check(write("/x?key=1"))
        source.authorization = .apiKeyQuery("key", secret)
        #expect(throws: StoreError.self) { try source.check(write("/x?key=1")) }
        source.authorization = .apiKeyHeader(try #require(HTTPField.Name("X-Van")), secret)
        #expect(throws: StoreError.self) { try source.check(write("/x", ["x-van": "1"])) }
        try source.check(write("/x?key=1"))
    }
}
