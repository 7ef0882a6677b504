// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingJSON
import SidingNodes
import Testing

@Suite struct RequestModelNodeTests {
    static func transformer(
        _ method: HTTPRequest.Method = .put
    ) throws -> some Node<RequestModel<JSONDocument>, RequestDraft> {
        URLRequestTransformerNode(RequestRoute(method, try HTTPURL("http://a/p?token=canary")))
            .then(RequestEncoderNode<JSONDocument>())
    }

    @Test func `metadata is joined to raw data, and to none`() async throws {
        let node = MetadataConnectorNode<JSONDocument>([.accept: "x"])
        let document = try JSONDocument("[1]")
        #expect(try await node.process(document, .test) == RequestModel(metadata: [.accept: "x"], raw: document))
        #expect(try await node.process(nil, .test) == RequestModel(metadata: [.accept: "x"], raw: nil))
    }

    @Test func `metadata become header fields, the route stays, the document is the body as it stands`() async throws {
        var metadata: HTTPFields = [.accept: "x"]
        metadata.append(HTTPField(name: .via, value: "1"))
        metadata.append(HTTPField(name: .via, value: "2"))
        let model = RequestModel(metadata: metadata, raw: try JSONDocument(#" {"b": 1.0,"a":2} "#))
        let draft = try await Self.transformer().process(model, .test)
        #expect(draft.route == RequestRoute(.put, try HTTPURL("http://a/p?token=canary")))
        #expect(draft.headerFields[values: .via] == ["1", "2"])
        #expect(draft.headerFields[.contentType] == "application/json")
        guard case .bytes(let bytes) = draft.body else {
            Issue.record("\(draft)")
            return
        }
        #expect(String(decoding: bytes, as: UTF8.self) == #"{"b": 1.0,"a":2}"#)
    }

    @Test func `the metadata's content type wins`() async throws {
        let model = RequestModel(metadata: [.contentType: "application/merge-patch+json"], raw: JSONDocument.null)
        let draft = try await Self.transformer().process(model, .test)
        #expect(draft.headerFields[values: .contentType] == ["application/merge-patch+json"])
        #expect(draft.body.length == 4)
    }

    @Test func `without raw data there is no body and no content type, with any method`() async throws {
        for method in [HTTPRequest.Method.get, .post, .put, .delete] {
            let draft = try await Self.transformer(method).process(RequestModel(), .test)
            guard case .none = draft.body else {
                Issue.record("\(draft)")
                return
            }
            #expect(draft.headerFields.isEmpty)
        }
    }

    @Test func `a route may follow from the raw data, and a missing one is thrown`() async throws {
        let node = URLRequestTransformerNode<String> { raw in
            guard let raw else { throw Failure(.invalidRequest, phase: .notSent, detail: "no route") }
            return try RequestRoute(.get, "/p/{name}", under: HTTPURL("http://a"), parameters: ["name": raw])
        }
        #expect(try await node.process(RequestModel(raw: "x y"), .test).route.url.path == "/p/x%20y")
        let failure = try #require(await node.failure(RequestModel()))
        #expect(failure.reason == .invalidRequest)
        #expect(failure.node == "URLRequestTransformerNode")
    }
}
