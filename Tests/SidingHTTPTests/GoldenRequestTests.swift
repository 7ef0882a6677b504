// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingHTTP
import SidingNodes
import SidingTesting
import Testing

/// What chains send, as a bare socket received it: method, target, header fields, and the bytes of the body.
@Suite(.timeLimit(.minutes(5))) struct GoldenRequestTests {
    struct Parcel: Encodable, Sendable {
        var name = "x+y z&w"
        var count = 23
        var fragile = true
        var tags = ["a", "b"]
    }

    /// What one call of a chain over a real socket put on the wire.
    private func wire(
        _ method: HTTPRequest.Method = .post,
        _ call: (URLChainBuilder) async throws -> Void
    ) async throws -> RawRequest {
        let origin = try RawOrigin()
        let transport = HTTPTransport(
            HTTPTransportConfiguration(settings: TransportSettings().with(\.compression, .never)))
        let assembly = ChainAssembly(
            transport: transport, connectivity: TestConnectivity(), headerFields: [.acceptLanguage: "pl"])
        let builder = URLChainBuilder(assembly).route(
            method, "/v1/{id}?z=1", under: origin.url, parameters: ["id": "a/b"])
        do { try await call(builder) } catch { Issue.record(error) }
        let request = RawRequest(await origin.received())
        await transport.shutdown()
        return request
    }

    @Test(arguments: [
        (
            BodyEncoding.json, "application/json" as String?,
            #"{"count":23,"fragile":true,"name":"x+y z&w","tags":["a","b"]}"#, "/v1/a%2Fb?z=1"
        ),
        (
            .formURL, "application/x-www-form-urlencoded",
            "count=23&fragile=1&name=x%2By%20z%26w&tags%5B%5D=a&tags%5B%5D=b", "/v1/a%2Fb?z=1"
        ),
        (
            .urlQuery, nil, "",
            "/v1/a%2Fb?z=1&count=23&fragile=1&name=x%2By%20z%26w&tags%5B%5D=a&tags%5B%5D=b"
        ),
    ])
    func `a model is on the wire what its encoding says, for every method`(
        _ encoding: BodyEncoding, _ type: String?, _ body: String, _ target: String
    ) async throws {
        for method in [HTTPRequest.Method.post, .put, .get, .delete] {
            let request = try await wire(method) { builder in
                let chain: Chain<Parcel, Void> = builder.encode(as: encoding).build()
                try await chain(Parcel())
            }
            #expect(request.line == "\(method.rawValue) \(target) HTTP/1.1")
            #expect(request["Content-Type"] == type)
            #expect(request.text == body)
            #expect(request["Accept-Language"] == "pl")
            #expect(request.fields.filter { $0.name.lowercased() == "content-type" }.count == (type == nil ? 0 : 1))
            if !body.isEmpty { #expect(request["Content-Length"] == "\(body.utf8.count)") }
        }
    }

    @Test(arguments: [HTTPRequest.Method.get, .post, .put, .delete])
    func `without input there is no body on the wire`(_ method: HTTPRequest.Method) async throws {
        let request = try await wire(method) { builder in
            let chain: Chain<Void, Void> = builder.build()
            try await chain()
        }
        #expect(request.line == "\(method.rawValue) /v1/a%2Fb?z=1 HTTP/1.1")
        #expect(request.body.isEmpty)
        #expect(request["Content-Type"] == nil)
        #expect(["0", nil].contains(request["Content-Length"]))
        #expect(request["Transfer-Encoding"] == nil)
    }

    @Test func `a multipart form is on the wire part by part, its length declared`() async throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write("line one\n", to: "note.txt")
        let request = try await wire { builder in
            var form = MultipartForm()
            form.append(field: "ti\"tle", value: "t")
            form.append(file: path, name: "files[]")
            let chain: Chain<MultipartForm, Void> = builder.build()
            try await chain(form)
        }
        let type = try #require(request["Content-Type"])
        let boundary = try #require(type.split(separator: "boundary=").last)
        #expect(
            request.text == """
                --\(boundary)\r
                Content-Disposition: form-data; name="ti%22tle"\r
                \r
                t\r
                --\(boundary)\r
                Content-Disposition: form-data; name="files[]"; filename="note.txt"\r
                Content-Type: text/plain\r
                \r
                line one
                \r
                --\(boundary)--\r

                """)
        #expect(request["Content-Length"] == "\(request.body.count)")
        #expect(request["Transfer-Encoding"] == nil)
    }

    @Test func `raw bytes are on the wire as they are`() async throws {
        let request = try await wire { builder in
            let chain: Chain<[UInt8], Void> = builder.encode(as: .raw).build()
            try await chain([0, 255, 13, 10])
        }
        #expect(request.body == [0, 255, 13, 10])
        #expect(request["Content-Type"] == "application/octet-stream")
    }

    @Test func `each strategy of the query is on the wire as documented`() async throws {
        let query: [String: QueryValue] = [
            "age": 23, "name": "bob", "f": true, "arr": ["a", 23, false], "d": ["l": [1, 2]], "n": nil, "e": [],
        ]
        let plain = try await wire(.get) { try await $0.set(query: query).build(Void.self, to: Void.self)() }
        #expect(
            plain.line
                == "GET /v1/a%2Fb?z=1&age=23&arr%5B%5D=a&arr%5B%5D=23&arr%5B%5D=0&d%5Bl%5D%5B%5D=1&d%5Bl%5D%5B%5D=2&f=1&name=bob HTTP/1.1"
        )
        let other = try await wire(.get) { builder in
            let chosen = builder.set(query: query).set(boolEncodingStrategy: .asBool)
                .set(arrayEncodingStrategy: .comma).set(dictEncodingStrategy: .dots)
            try await chosen.build(Void.self, to: Void.self)()
        }
        #expect(other.line == "GET /v1/a%2Fb?z=1&age=23&arr=a,23,false&d.l=1,2&f=true&name=bob HTTP/1.1")
    }
}
