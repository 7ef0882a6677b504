// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import SidingChain
import SidingNodes
import Testing

@Suite struct HeaderFieldsEncoderTests {
    struct Header: Encodable, Sendable {
        var trace: String? = "a b"
        var depth = 3
        var share = 0.5
        var fresh = true
        var since = Date(timeIntervalSince1970: 784_111_777.9)
        var account: Int?

        private enum CodingKeys: String, CodingKey {
            case trace = "X-Trace"
            case depth = "Depth"
            case share = "x-share"
            case fresh = "X-Fresh"
            case since = "If-Modified-Since"
            case account = "X-Account"
        }
    }

    @Test func `coding keys name the fields, and nil leaves its field out`() throws {
        let fields = try HTTPFields(headerObject: Header())
        #expect(
            fields.map { "\($0.name.rawName): \($0.value)" } == [
                "Depth: 3", "If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT", "X-Fresh: true", "X-Trace: a b",
                "x-share: 0.5",
            ])
    }

    @Test func `ready sets name their media types`() throws {
        #expect(
            try HTTPFields(headerObject: JSONRequestHeaderFields())
                == [.accept: "application/json", .contentType: "application/json"])
        #expect(
            try HTTPFields(headerObject: FormRequestHeaderFields())
                == [.accept: "application/json", .contentType: "application/x-www-form-urlencoded"])
    }

    @Test(arguments: ["hunter2\r\nX-Evil: 1", "hunter2\n", "hunter2\r", "hunter2\u{0}", " hunter2", "hunter2 "])
    func `a value that would become another, or a field of its own, is refused and not shown`(_ value: String) async {
        let failure = await failure { try HTTPFields(headerObject: ["X-Key": value]) }
        #expect(failure?.reason == .invalidRequest)
        #expect(failure?.phase == .notSent)
        #expect(failure?.detail?.contains("'X-Key'") == true)
        #expect(failure?.description.contains("hunter2") == false)
    }

    @Test(arguments: ["", "a b", "a:b", ":path", "x\r\ny", "ż"])
    func `a name that cannot be a field name is refused`(_ name: String) async {
        let failure = await failure { try HTTPFields(headerObject: [name: "hunter2"]) }
        #expect(failure?.reason == .invalidRequest)
        #expect(failure?.description.contains("hunter2") == false)
    }

    @Test func `only a flat object of single values makes header fields`() async {
        let nested = await failure { try HTTPFields(headerObject: ["X-A": ["hunter2"]]) }
        #expect(
            nested?.detail
                == "Dictionary<String, Array<String>> makes no header fields: the field 'X-A' is a list, and only single "
                + "values have a form")
        #expect(await failure { try HTTPFields(headerObject: ["X-A": ["b": "c"]]) }?.reason == .invalidRequest)
        let list = await failure { try HTTPFields(headerObject: ["hunter2"]) }
        #expect(list?.detail?.contains("its root is a list") == true)
        #expect(list?.description.contains("hunter2") == false)
    }

    @Test func `two names that differ in case only are one field, and refused`() async throws {
        let failure = await failure { try HTTPFields(headerObject: ["X-A": 1, "x-a": 2]) }
        #expect(failure?.detail?.contains("'x-a' stands twice") == true)
        #expect(try HTTPFields(headerObject: ["X-A": 1, "x-a": nil]).count == 1)
    }
}

@Suite struct HeaderObjectNodeTests {
    @Test func `a header object sets its fields, in place of all of that name`() async throws {
        var own = HTTPFields()
        own.append(HTTPField(name: .accept, value: "text/html"))
        own.append(HTTPField(name: .accept, value: "text/plain"))
        own[.acceptLanguage] = "pl"
        let fields = try await HeaderObjectNode(JSONRequestHeaderFields())
            .process(.test(.post, "http://a/p", own), .test).headerFields
        #expect(fields[values: .accept] == ["application/json"])
        #expect(fields[values: .contentType] == ["application/json"])
        #expect(fields[.acceptLanguage] == "pl")
    }

    @Test func `names replace each other in any case`() async throws {
        let fields = try await HeaderObjectNode(["ACCEPT": "mine"])
            .process(.test(.get, "http://a/p", [.accept: "own"]), .test).headerFields
        #expect(fields[values: .accept] == ["mine"])
    }

    @Test func `a nil leaves the request's own field alone`() async throws {
        let fields = try await HeaderObjectNode(["Accept": String?.none])
            .process(.test(.get, "http://a/p", [.accept: "own"]), .test).headerFields
        #expect(fields[.accept] == "own")
    }

    @Test func `a header object that cannot be applied fails at its request`() async throws {
        let node = HeaderObjectNode(["X-A": "hunter2\n"])
        let failure = try #require(await node.failure(.test(.get, "http://a/p?token=hunter2")))
        #expect(failure.node == "HeaderObjectNode")
        #expect(failure.method == "GET")
        #expect(failure.url == "http://a/p?token=…")
        #expect(!failure.description.contains("hunter2"))
    }
}
