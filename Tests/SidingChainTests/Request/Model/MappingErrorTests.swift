// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import SidingChain
import SidingJSON
import SidingNodes
import Testing

@Suite struct MappingErrorTests {
    static func detail<Model: Decodable & Sendable>(
        _ type: Model.Type, _ body: String, _ decoder: @escaping @Sendable () -> JSONDecoder = JSONCoding.decoder
    ) async throws -> String? {
        let failure = await DecodeNode<Model>(decoder: decoder).failure(try .test(body))
        #expect(failure?.reason == .contract)
        return failure?.detail
    }

    @Test func `each kind of mismatch is reported with type, path and fragment`() async throws {
        #expect(
            try await Self.detail([Person].self, #"[{"name":"a","age":1},{"name":"b","age":"two"}]"#)
                == #"Array<Person> at $[1].age: expected Int, found a string: "two""#)
        #expect(
            try await Self.detail(Person.self, #"{"name":"a","age":1,"friends":[{"age":2}]}"#)
                == #"Person at $.friends[0]: the member "name" is missing: {"age":2}"#)
        #expect(
            try await Self.detail(Person.self, #"{"name":null,"age":1}"#)
                == "Person at $.name: expected String, found null: null")
        #expect(try await Self.detail(Person.self, "[]") == "Person at $: expected an object, found an array: []")
        #expect(
            try await Self.detail([Int].self, #"{"a":1}"#)
                == #"Array<Int> at $: expected an array, found an object: {"a":1}"#)
        #expect(
            try await Self.detail([String: Int].self, #"{"7":1,"8":"x"}"#)
                == #"Dictionary<String, Int> at $.8: expected Int, found a string: "x""#)
        #expect(
            try await Self.detail([Int: Int].self, #"{"7":1,"8":"x"}"#)?.hasSuffix(
                #" at $.8: expected Int, found a string: "x""#) == true)
    }

    @Test(arguments: [
        (#"[{"age":1.5}]"#, "1.5"), (#"[{"age":1,"friends":[{"age":9223372036854775808}]}]"#, "9223372036854775808"),
        (#"[{"age":1,"friends":[{"age":2},{"age":1e30}]}]"#, "1e30"),
    ])
    func `a number that does not fit is reported with its place, not rounded`(
        body: String, digits: String
    ) async throws {
        struct Human: Codable, Sendable {
            var age: Int
            var weight: Double?
            var friends: [Human]?
        }
        let body = body.replacing(#"{"age""#, with: #"{"weight":1.5,"age""#)
        let detail = try #require(try await Self.detail([Human].self, body))
        #expect(detail.hasPrefix("Array<Human> at $[0]."), "\(detail)")
        #expect(detail.hasSuffix(".age: the number does not fit Int: \(digits)"), "\(detail)")
    }

    @Test func `the place of a number that does not fit is found in every kind of container`() async throws {
        #expect(
            try await Self.detail([UInt8].self, "[255,256]")
                == "Array<UInt8> at $[1]: the number does not fit UInt8: 256")
        #expect(try await Self.detail(Int.self, "1.5") == "Int at $: the number does not fit Int: 1.5")
        #expect(
            try await Self.detail([String: [Int?]].self, #"{"a":[null,1],"b":[null,7,0.5]}"#)
                == "Dictionary<String, Array<Optional<Int>>> at $.b[2]: the number does not fit Int: 0.5")
        #expect(
            try await Self.detail([Decimal].self, "[1e400]")
                == "Array<\(Decimal.self)> at $[0]: the number does not fit \(Decimal.self): 1e400")
        #expect(
            try await Self.detail(
                Nested.self, #"{"in":{"n":1,"list":[1,[2,0.5]]},"date":"2026-03-01T09:05:00.25Z","level":1}"#)
                == "Nested at $.in.list[1][1]: the number does not fit Int: 0.5")
        #expect(
            try await Self.detail(
                Nested.self, #"{"in":{"n":1,"list":[1,[2,3]]},"date":"2026-03-01T09:05:00.25Z","level":0.5}"#)
                == "Nested at $.level: the number does not fit Int: 0.5")
    }

    @Test func `an error of a model at its root is not blamed on a number`() async throws {
        enum Level: Int, Codable { case one = 1 }
        let detail = try #require(try await Self.detail(Level.self, "5"))
        #expect(detail.hasPrefix("Level at $: Cannot initialize Level"))
        #expect(detail.hasSuffix(": 5"))
        struct Lenient: Decodable, Sendable {
            init(from decoder: any Decoder) throws {
                var list = try decoder.unkeyedContainer()
                _ = try? list.decode(Int.self)
                _ = try list.decode(Double.self)
                throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "mine"))
            }
        }
        #expect(try await Self.detail(Lenient.self, "[0.5]") == "Lenient at $: mine: [0.5]")
    }

    /// Reads itself by hand, with nested containers, an enumeration and a date.
    struct Nested: Decodable, Sendable {
        enum Keys: String, CodingKey { case `in`, n, list, date, level }
        enum Level: Int, Decodable { case one = 1 }

        init(from decoder: any Decoder) throws {
            let root = try decoder.container(keyedBy: Keys.self)
            let inner = try root.nestedContainer(keyedBy: Keys.self, forKey: .in)
            _ = try inner.decode(Int.self, forKey: .n)
            var list = try inner.nestedUnkeyedContainer(forKey: .list)
            _ = try list.decode(Int.self)
            var innermost = try list.nestedUnkeyedContainer()
            while !innermost.isAtEnd { _ = try innermost.decode(Int.self) }
            _ = try root.decode(Date.self, forKey: .date)
            _ = try root.decode(Level.self, forKey: .level)
        }
    }

    @Test func `the fragment of a renamed key is its surroundings`() async throws {
        struct Event: Decodable, Sendable { var startsAt: Int }
        let detail = try await Self.detail([Event].self, #"[{"starts_at":"x"}]"#) {
            let decoder = JSONDecoder()
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            return decoder
        }
        #expect(detail?.hasPrefix("Array<Event> at $[0].startsAt: expected Int, found ") == true)
        #expect(detail?.hasSuffix(#": {"starts_at":"x"}"#) == true)
    }

    @Test func `secrets are left out of the fragment`() async throws {
        struct Session: Decodable, Sendable {
            enum Level: String, Decodable { case one }
            var accessToken: Int?
            var expires: Int
            var password: Level?
        }
        let missing = try await Self.detail(Session.self, #"{"accessToken":7,"refresh-token":"canary","code":5}"#)
        #expect(
            missing
                == #"Session at $: the member "expires" is missing: {"accessToken":"…","refresh-token":"…","code":5}"#)
        let mismatch = try await Self.detail(Session.self, #"{"accessToken":"canary","expires":1}"#)
        #expect(mismatch == "Session at $.accessToken: expected Int, found a string")
        let corrupt = try await Self.detail(Session.self, #"{"expires":1,"password":"canary"}"#)
        #expect(corrupt == "Session at $.password: the value cannot be used")
    }

    @Test func `however large the value, the error stays short and on one line`() async throws {
        let long = String(repeating: "x\\n\u{1F}".replacingOccurrences("\u{1F}", "\u{202E}"), count: 100_000)
        let detail = try #require(try await Self.detail([Int].self, "[\"\(long)\"]"))
        #expect(detail.count <= 501)
        #expect(detail.unicodeScalars.allSatisfy(PlainText.isHarmless))
        let names = "{\"\(long)\":\"x\"}"
        #expect(try #require(try await Self.detail([String: Int].self, names)).count <= 501)
    }

    @Test func `an error of a model's own making stays itself`() async throws {
        struct Picky: Decodable, Sendable {
            struct Own: Error {}
            init(from decoder: any Decoder) throws { throw Own() }
        }
        let failure = await DecodeNode<Picky>().failure(try .test("1"))
        #expect(failure?.reason == .userCode)
        #expect(failure?.underlying is Picky.Own)
        #expect(failure?.detail == "Picky at $: Own()")
        #expect(failure?.url == "http://a/p?token=…")
    }
}

extension String {
    fileprivate func replacingOccurrences(_ target: String, _ replacement: String) -> String {
        String(unicodeScalars.flatMap { String($0) == target ? Array(replacement) : [Character($0)] })
    }
}
