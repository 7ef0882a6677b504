// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import HTTPTypes
import SidingChain
import SidingJSON
import SidingNodes
import Testing

@Suite struct DecodeNodeTests {
    @Test func `a document becomes a model, at the root as in an envelope`() async throws {
        let chain = ResponseDataParserNode()
            .then(ResponseEnvelopeNode(at: JSONPath(member: "data")))
            .then(DecodeNode<[Person]>())
        let people = try await chain.process(.test(#"{"data":[{"name":"a","age":1}]}"#), .test)
        #expect(people == [Person(name: "a", age: 1)])
        #expect(chain.description == "ResponseDataParserNode → ResponseEnvelopeNode → DecodeNode")
        #expect(try await DecodeNode<Int>().process(.test("7"), .test) == 7)
        #expect(try await DecodeNode<String>().process(.test(#""x""#), .test) == "x")
        #expect(try await DecodeNode<[[Int]]>().process(.test("[[1],[]]"), .test) == [[1], []])
    }

    @Test func `the decoder is the caller's, made for each call`() async throws {
        struct Event: Decodable, Sendable, Equatable { var startsAt: Date }
        let made = Counter()
        let node = DecodeNode<Event> {
            made.next()
            let decoder = JSONDecoder()
            decoder.dateDecodingStrategy = .iso8601
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            return decoder
        }
        for _ in 0..<2 {
            let event = try await node.process(.test(#"{"starts_at":"1970-01-01T00:00:07Z"}"#), .test)
            #expect(event.startsAt == Date(timeIntervalSince1970: 7))
        }
        #expect(made.count == 2)
    }

    @Test func `big integers and long fractions come through where the type can hold them`() async throws {
        #expect(try await DecodeNode<Int64>().process(.test("9007199254740993"), .test) == 9_007_199_254_740_993)
        #expect(try await DecodeNode<UInt64>().process(.test("18446744073709551615"), .test) == .max)
        let digits = "123456789012345678901234567890"
        let decimal = try await DecodeNode<[Decimal]>().process(.test("[\(digits),0.1]"), .test)
        #expect(decimal.map(\.description) == [digits, "0.1"])
        #expect(try await DecodeNode<JSONDocument>(.fromRaw).process(.test(digits), .test).digits == digits)
    }

    @Test(arguments: [204, 205, 304]) func `no content is a failure, unless the model has a value for it`(_ status: Int)
        async throws
    {
        struct Nothing: Decodable, Sendable, Equatable, NoContentRepresentable {
            static var noContent: Nothing { Nothing() }
        }
        let none = try ChainResponse<JSONDocument?>.test(nil, status: status)
        let failure = try #require(await DecodeNode<Person>().failure(none))
        #expect(failure.reason == .contract)
        #expect(failure.node == "DecodeNode")
        #expect(failure.detail == "Person at $: no content (status \(status)) where a Person was expected")
        #expect(await DecodeNode<[Person]>().failure(none)?.reason == .contract)
        #expect(await DecodeNode<[String: Int]>().failure(none)?.reason == .contract)
        #expect(try await DecodeNode<Person?>().process(none, .test) == nil)
        #expect(try await DecodeNode<[Person]?>().process(none, .test) == nil)
        #expect(try await DecodeNode<Nothing>().process(none, .test) == Nothing())
        #expect(try await DecodeNode<Tag?>(.fromRaw).process(none, .test) == nil)
    }

    @Test func `null is nil for an optional model, and a failure for any other`() async throws {
        #expect(try await DecodeNode<Person?>().process(.test("null"), .test) == nil)
        #expect(await DecodeNode<Person>().failure(try .test("null"))?.reason == .contract)
        #expect(await DecodeNode<Int>().failure(try .test("null"))?.reason == .contract)
        #expect(await DecodeNode<[Int]>().failure(try .test("null"))?.reason == .contract)
    }

    @Test func `an empty object is not an empty list, and an empty list is not an object`() async throws {
        struct Lenient: Decodable, Sendable { var a: Int? }
        #expect(await DecodeNode<[Int]>().failure(try .test("{}"))?.reason == .contract)
        #expect(await DecodeNode<Lenient>().failure(try .test("[]"))?.reason == .contract)
        #expect(await DecodeNode<[String: Int]>().failure(try .test("[]"))?.reason == .contract)
        #expect(try await DecodeNode<Lenient>().process(.test("{}"), .test).a == nil)
    }

    @Test func `the head comes along where it is wanted`() async throws {
        let answer = try await DecodeNode<Int>().keepingHead.process(.test("7", status: 201), .test)
        #expect(answer.body == 7)
        #expect(answer.response.status == .created)
        #expect(answer.response.headerFields[.eTag] == "e")
        #expect(answer.url == (try HTTPURL("http://a/p?token=canary")))
        let failure = await DecodeNode<Int>().keepingHead.failure(try .test(#""x""#))
        #expect(failure?.detail == #"Int at $: expected Int, found a string: "x""#)
        let none = try await DecodeNode<Int?>().keepingHead.process(.test(nil, status: 204), .test)
        #expect(none.body == nil)
        #expect(none.response.status == .noContent)
    }

    @Test func `a failure names the URL, with secrets left out`() async throws {
        let failure = try #require(await DecodeNode<Int>().failure(.test("[]")))
        #expect(failure.url == "http://a/p?token=…")
        #expect(failure.node == "DecodeNode")
        let error = try #require(failure.underlying as? MappingError)
        #expect(error.type == "Int")
        #expect(error.path == .root)
        #expect(error.fragment == "[]")
    }
}
