// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingJSON
import SidingNodes
import Testing

@Suite struct RawMappableTests {
    static func read<Value: RawDecodable>(_ type: Value.Type, _ text: String) throws -> Value
    where Value.Raw == JSONDocument {
        try Value.from(raw: JSONDocument(text))
    }

    static func error<Value: RawDecodable>(_ type: Value.Type, _ text: String) throws -> MappingError?
    where Value.Raw == JSONDocument {
        do {
            _ = try read(type, text)
            return nil
        } catch let error as MappingError {
            return error
        }
    }

    @Test func `arrays at the root are arrays, of any nesting`() throws {
        let tags = [[[Tag(label: "a")], []], [[Tag(label: "b"), Tag(label: "c")]], []]
        let raw = try tags.toRaw()
        #expect(raw.text == #"[[[{"label":"a"}],[]],[[{"label":"b"},{"label":"c"}]],[]]"#)
        #expect(try [[[Tag]]].from(raw: raw) == tags)
        #expect(try Self.read([[Tag?]?].self, #"[null,[null,{"label":"a"}]]"#) == [nil, [nil, Tag(label: "a")]])
        #expect(try [String]().toRaw().text == "[]")
    }

    @Test(arguments: ["{}", #"{"_array":[]}"#, "null", "0", #""""#, #"{"0":{"label":"a"}}"#])
    func `nothing but an array is read as one`(text: String) async throws {
        let error = try #require(try Self.error([Tag].self, text))
        #expect(error.description.hasPrefix("Array<Tag> at $: expected an array, found "))
        #expect(try Self.error([[Tag]].self, "[\(text)]")?.path == JSONPath(parsing: "$[0]"))
        let plain = ModelMapping<JSONDocument, [Person]>.json()
        let node = Step<JSONDocument, JSONDocument> { input, _ in input }
        let decoding = DTOMapperNode<JSONDocument, [Person], _>(node, output: plain)
        #expect(await decoding.failure(try JSONDocument(text))?.reason == .contract)
    }

    @Test func `nothing but an object is read as a dictionary`() throws {
        for text in ["[]", "null", #"[{"a":1}]"#, "1"] {
            #expect(try Self.error([String: Tag].self, text)?.problem.hasPrefix("expected an object, found ") == true)
        }
        #expect(try Self.read([String: [Int]].self, #"{"a":[1],"b":[]}"#) == ["a": [1], "b": []])
        #expect(
            try ["b": Tag(label: "x"), "a": Tag(label: "y")].toRaw().text == #"{"a":{"label":"y"},"b":{"label":"x"}}"#)
    }

    @Test func `an empty object is not an object without members it must have`() throws {
        #expect(try Self.error(Tag.self, "{}")?.description == #"Tag at $: the member "label" is missing: {}"#)
        #expect(try Self.read([String: Tag].self, "{}") == [:])
    }

    @Test func `null is nil where nil may be, and nowhere else`() throws {
        #expect(try Self.read(Tag?.self, "null") == nil)
        #expect(try Self.read(Int?.self, "null") == nil)
        #expect(try Tag?.none.toRaw().text == "null")
        #expect(try Self.error(Tag.self, "null") != nil)
        #expect(try Self.error(Int.self, "null") != nil)
        #expect(try Self.error(String.self, "null") != nil)
    }

    @Test func `scalars at the root are values`() throws {
        #expect(try Self.read(Int.self, "7") == 7)
        #expect(try Self.read(String.self, #""a\u00e9""#) == "aé")
        #expect(try Self.read(Bool.self, "true"))
        #expect(try Self.read(Double.self, "1.5") == 1.5)
        #expect(try "a/b".toRaw().text == #""a/b""#)
        #expect(try 7.toRaw().text == "7")
    }

    @Test func `an error of an element has its index, from the root`() throws {
        let error = try #require(try Self.error([String: [Tag]].self, #"{"x y":[{"label":"a"},{"label":1}]}"#))
        #expect(error.path == (try JSONPath(parsing: #"$."x y"[1].label"#)))
        #expect(error.type == "Tag")
        #expect(error.fragment == "1")
    }

    @Test func `names that only Swift takes for one are not merged in silence`() throws {
        let text = "{\"\u{E9}\":1,\"e\u{301}\":2}"
        #expect(try JSONDocument(text).members?.count == 2)
        #expect(try Self.error([String: Int].self, text)?.problem == "two names are the same to Swift")
    }

    @Test func `a document is its own raw form, byte for byte`() throws {
        let document = try JSONDocument(#"{"b":1.50,"a":123456789012345678901234567890}"#)
        #expect(document.toRaw() == document)
        #expect(try [document, document].toRaw().text == "[\(document.text),\(document.text)]")
        #expect(try [JSONDocument].from(raw: JSONDocument("[1.0, 2 ]")).map(\.text) == ["1.0", "2"])
    }
}
