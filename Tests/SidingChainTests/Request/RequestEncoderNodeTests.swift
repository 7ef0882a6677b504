// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import SidingChain
import SidingNodes
import SidingTesting
import Testing

@Suite struct RequestEncoderNodeTests {
    struct Order: Codable, Sendable {
        var title = "ż/\"a\""
        var price = 1.5
        var tags = ["b", "a"]
        var due = Date(timeIntervalSinceReferenceDate: 0)
        var note: String?
        var big = UInt64.max
    }

    @Test func `a JSON body has sorted keys and plain slashes, byte for byte`() async throws {
        #expect(
            try await RequestEncoderNode<Order>().encoded(Order())
                == Encoded(
                    contentType: "application/json",
                    body: #"{"big":18446744073709551615,"due":"2001-01-01T00:00:00Z","price":1.5,"#
                        + #""tags":["b","a"],"title":"ż/\"a\""}"#))
    }

    @Test func `keys of dictionaries are sorted too, with any encoder of the caller's`() async throws {
        let model = Dictionary(uniqueKeysWithValues: (0..<50).map { ("k\($0)", $0) })
        let expected =
            "{" + model.sorted { $0.key < $1.key }.map { #""\#($0.key)":\#($0.value)"# }.joined(separator: ",") + "}"
        let plain = RequestEncoderNode<[String: Int]>(encoder: { JSONEncoder() })
        #expect(try await RequestEncoderNode<[String: Int]>().encoded(model).body == expected)
        #expect(try await plain.encoded(model).body == expected)
    }

    @Test func `the caller's own encoder decides on dates and keys`() async throws {
        struct Named: Encodable, Sendable { var firstName = "a", lastSeen = Date(timeIntervalSince1970: 0) }
        let node = RequestEncoderNode<Named>(encoder: {
            let encoder = JSONEncoder()
            encoder.keyEncodingStrategy = .convertToSnakeCase
            encoder.dateEncodingStrategy = .iso8601
            return encoder
        })
        #expect(
            try await node.encoded(Named()).body == #"{"first_name":"a","last_seen":"1970-01-01T00:00:00Z"}"#)
    }

    @Test func `lists and single values at the root are JSON as they are`() async throws {
        #expect(try await RequestEncoderNode<[[Int]]>().encoded([[1], []]).body == "[[1],[]]")
        #expect(try await RequestEncoderNode<[Int]>().encoded([]).body == "[]")
        #expect(try await RequestEncoderNode<String>().encoded("a").body == #""a""#)
        #expect(try await RequestEncoderNode<Int?>().encoded(nil).body == "null")
    }

    @Test(arguments: [HTTPRequest.Method.get, .delete, .post, .put, .patch])
    func `the encoding is the caller's choice for every method`(_ method: HTTPRequest.Method) async throws {
        let draft = try RequestDraft.test(method)
        let model = ["a": "b c"]
        func encoded(_ encoding: BodyEncoding) async throws -> Encoded {
            try await RequestEncoderNode<[String: String]>(encoding: encoding, boundary: .fixed("B"))
                .encoded(model, draft)
        }
        #expect(try await encoded(.json) == Encoded(contentType: "application/json", body: #"{"a":"b c"}"#))
        #expect(
            try await encoded(.formURL)
                == Encoded(contentType: "application/x-www-form-urlencoded", body: "a=b%20c"))
        #expect(try await encoded(.urlQuery) == Encoded(target: "/p?a=b%20c"))
        #expect(
            try await encoded(.multipart)
                == Encoded(
                    contentType: "multipart/form-data; boundary=B",
                    body: "--B\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nb c\r\n--B--\r\n"))
    }

    @Test func `the draft's own content type wins`() async throws {
        let draft = try RequestDraft.test(.post, "http://a/p", [.contentType: "application/merge-patch+json"])
        for encoding in [BodyEncoding.json, .formURL] {
            let node = RequestEncoderNode<[String: String]>(encoding: encoding)
            #expect(try await node.encoded(["a": "b"], draft).contentType == "application/merge-patch+json")
        }
        let raw = RequestEncoderNode<String>(encoding: .raw)
        #expect(try await raw.encoded("a", draft).contentType == "application/merge-patch+json")
    }

    struct Ping: RawBody {
        var contentType: String? = "application/x-ping"
        var rawBody: [UInt8] { get throws { [0x70] } }
    }

    @Test func `raw sends the bytes that the model gives`() async throws {
        #expect(
            try await RequestEncoderNode<[UInt8]>(encoding: .raw).encoded([0x61, 0x62])
                == Encoded(contentType: "application/octet-stream", body: "ab"))
        #expect(
            try await RequestEncoderNode<Data>(encoding: .raw).encoded(Data([0x61]))
                == Encoded(contentType: "application/octet-stream", body: "a"))
        #expect(
            try await RequestEncoderNode<String>(encoding: .raw).encoded("ż\"")
                == Encoded(contentType: "text/plain; charset=utf-8", body: "ż\""))
        #expect(
            try await RequestEncoderNode<Ping>.raw().encoded(Ping())
                == Encoded(contentType: "application/x-ping", body: "p"))
        #expect(try await RequestEncoderNode<Ping>.raw().encoded(Ping(contentType: nil)) == Encoded(body: "p"))
    }

    @Test func `a model without raw bytes cannot be sent raw`() async throws {
        let failure = try await RequestEncoderNode<Order>(encoding: .raw).failure(of: Order(title: "canary"))
        #expect(failure?.reason == .invalidRequest)
        #expect(failure?.detail?.hasPrefix("Order gives no bytes of its own") == true)
        let broken = try await RequestEncoderNode<Ping>.raw().failure(of: Ping(contentType: "a\r\nX-Evil: 1"))
        #expect(broken?.reason == .invalidRequest)
    }

    @Test(arguments: [BodyEncoding.formURL, .urlQuery, .multipart])
    func `fields need names, so the root must be an object`(_ encoding: BodyEncoding) async throws {
        let list = try await RequestEncoderNode<[String]>(encoding: encoding).failure(of: ["canary"])
        #expect(list?.reason == .invalidRequest)
        #expect(list?.phase == .notSent)
        #expect(list?.detail?.hasPrefix("Array<String> cannot be sent as ") == true)
        #expect(list?.detail?.contains("its root is a list") == true)
        #expect(list?.description.contains("canary") == false)
        let text = try await RequestEncoderNode<String>(encoding: encoding).failure(of: "canary")
        #expect(text?.detail?.contains("its root is a text") == true)
        #expect(try await RequestEncoderNode<Int?>(encoding: encoding).failure(of: nil)?.reason == .invalidRequest)
    }

    struct Loose: Encodable, Sendable {
        var canary = [["v": Double.infinity]]
        var secret = "hunter2"
    }

    @Test(arguments: [BodyEncoding.json, .formURL, .urlQuery, .multipart])
    func `a value without a form is named by type and path, at its request, and not shown`(
        _ encoding: BodyEncoding
    ) async throws {
        let draft = try RequestDraft.test(.put, "http://a/p?token=hunter2")
        let failure = try #require(await RequestEncoderNode<Loose>(encoding: encoding).failure(of: Loose(), draft))
        #expect(failure.reason == .invalidRequest)
        #expect(failure.phase == .notSent)
        #expect(failure.node == "RequestEncoderNode")
        #expect(failure.method == "PUT")
        #expect(failure.url == "http://a/p?token=…")
        #expect(failure.detail?.hasPrefix("Loose cannot be encoded: the ") == true)
        #expect(failure.detail?.contains("'canary[0].v'") == true)
        #expect(failure.underlying == nil)
        #expect(!"\(failure)".contains("inf") && !"\(failure)".contains("hunter2"))
    }

    struct Blabbing: Encodable, Sendable {
        func encode(to encoder: any Encoder) throws {
            throw EncodingError.invalidValue(
                "hunter2", .init(codingPath: encoder.codingPath, debugDescription: "hunter2 is no good"))
        }
    }

    @Test(arguments: [BodyEncoding.json, .formURL])
    func `the model's description of its own values is not repeated`(_ encoding: BodyEncoding) async throws {
        let node = RequestEncoderNode<[String: Blabbing]>(encoding: encoding)
        let failure = try #require(await node.failure(of: ["a": Blabbing()]))
        #expect(
            failure.detail
                == "Dictionary<String, Blabbing> cannot be encoded: the String at 'a' has no form in this encoding")
    }

    @Test func `each attempt sends the same bytes, with fields and providers of its own`() async throws {
        let transport = ScriptedTransport([.status(.serviceUnavailable), .text("{}")])
        let attempts = Counter()
        let sending = RequestCreatorNode(providers: [
            RequestNodeTests.Provider { () throws(Failure) in [.authorization: "token-\(attempts.next())"] }
        ])
        .then(RequestSenderNode(transport)).then(ResponseHTTPErrorProcessorNode())
        .retry(RetryPolicy(retries: 1, backoff: Backoff(base: .zero)))
        let chain = RequestEncoderNode<[String: [Int]]>(encoding: .multipart).then(sending)
        let draft = try RequestDraft.test(.post, "http://a/p", [.acceptLanguage: "pl"])
        _ = try await chain.process(draft.with(body: ["l": [1, 2]]), .test)
        #expect(transport.requests.count == 2)
        #expect(transport.requests[0].body == transport.requests[1].body)
        #expect(!transport.requests[0].body.isEmpty)
        #expect(transport.requests.map { $0.request.headerFields[.authorization] } == ["token-1", "token-2"])
        #expect(transport.requests.map { $0.request.headerFields[.acceptLanguage] } == ["pl", "pl"])
    }
}
