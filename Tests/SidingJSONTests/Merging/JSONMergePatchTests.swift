// SPDX-License-Identifier: Apache-2.0
import SidingJSON
import Testing

struct JSONMergePatchTests {
    static func applied(_ patch: String, to target: String) throws -> String {
        try JSONMergePatch(JSONDocument(patch)).applied(to: JSONDocument(target)).text
    }

    @Test(arguments: [
        (#"{"a":"b"}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
        (#"{"a":"b"}"#, #"{"b":"c"}"#, #"{"a":"b","b":"c"}"#),
        (#"{"a":"b"}"#, #"{"a":null}"#, #"{}"#),
        (#"{"a":"b","b":"c"}"#, #"{"a":null}"#, #"{"b":"c"}"#),
        (#"{"a":["b"]}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
        (#"{"a":"c"}"#, #"{"a":["b"]}"#, #"{"a":["b"]}"#),
        (#"{"a":{"b":"c"}}"#, #"{"a":{"b":"d","c":null}}"#, #"{"a":{"b":"d"}}"#),
        (#"{"a":[{"b":"c"}]}"#, #"{"a":[1]}"#, #"{"a":[1]}"#),
        (#"["a","b"]"#, #"["c","d"]"#, #"["c","d"]"#),
        (#"{"a":"b"}"#, #"["c"]"#, #"["c"]"#),
        (#"{"a":"foo"}"#, #"null"#, #"null"#),
        (#"{"a":"foo"}"#, #""bar""#, #""bar""#),
        (#"{"e":null}"#, #"{"a":1}"#, #"{"e":null,"a":1}"#),
        (#"[1,2]"#, #"{"a":"b","c":null}"#, #"{"a":"b"}"#),
        (#"{}"#, #"{"a":{"bb":{"ccc":null}}}"#, #"{"a":{"bb":{}}}"#),
    ])
    func `the examples of RFC 7396, appendix A, hold to the byte`(target: String, patch: String, result: String) throws
    {
        #expect(try Self.applied(patch, to: target) == result)
    }

    @Test func `the example of RFC 7396, section 3, keeps the layout of the document`() throws {
        let target = """
            {
              "title": "Goodbye!",
              "author" : {
                "givenName" : "John",
                "familyName" : "Doe"
              },
              "tags":[ "example", "sample" ],
              "content": "This will be unchanged"
            }
            """
        let patch = """
            {
              "title": "Hello!",
              "phoneNumber": "+01-123-456-7890",
              "author": {
                "familyName": null
              },
              "tags": [ "example" ]
            }
            """
        let result = """
            {
              "title": "Hello!",
              "author" : {
                "givenName" : "John"
              },
              "tags":[ "example" ],
              "content": "This will be unchanged","phoneNumber":"+01-123-456-7890"
            }
            """
        #expect(try Self.applied(patch, to: target) == result)
    }

    @Test(arguments: [
        // What is not touched: digits, escapes, order, space.
        (
            #"{"n":1.0,"z":12345678901234567890123,"s":"\u00e9\/","a":1e400}"#, #"{"x":2.50}"#,
            #"{"n":1.0,"z":12345678901234567890123,"s":"\u00e9\/","a":1e400,"x":2.50}"#
        ),
        (#"{ "a" : 1.0 , "b" : {  } }"#, "{}", #"{ "a" : 1.0 , "b" : {  } }"#),
        (#"{ "a" : 1 }"#, #"{"a":1.000}"#, #"{ "a" : 1.000 }"#),
        (#"{"o": {"x": 1.0 , "y":2}, "p":3}"#, #"{"o":{"y":2.0}}"#, #"{"o": {"x": 1.0 , "y":2.0}, "p":3}"#),
        // A removed member takes the comma before it along, the first one the comma behind it.
        (#"{ "a":1 , "b":2 ,  "c":3 }"#, #"{"a":null}"#, #"{ "b":2 ,  "c":3 }"#),
        (#"{ "a":1 , "b":2 ,  "c":3 }"#, #"{"b":null}"#, #"{ "a":1 ,  "c":3 }"#),
        (#"{ "a":1 , "b":2 ,  "c":3 }"#, #"{"c":null}"#, #"{ "a":1 , "b":2 }"#),
        (#"{ "a":1 , "b":2 ,  "c":3 }"#, #"{"a":null,"b":null}"#, #"{ "c":3 }"#),
        (#"{ "a":1 , "b":2 ,  "c":3 }"#, #"{"c":null,"b":null,"a":null}"#, "{}"),
        (#"{ "a":1 }"#, #"{"a":null,"b":2}"#, #"{"b":2 }"#),
        ("{ }", #"{"a":null}"#, "{ }"),
        ("{ }", #"{"a":1}"#, #"{"a":1 }"#),
        // A name keeps the target's spelling; a new one has the patch's.
        (#"{"\u0061":1}"#, #"{"a":2,"\u0062":3}"#, #"{"\u0061":2,"\u0062":3}"#),
        (#"{"é":1}"#, #"{"\u00e9":null}"#, "{}"),
        ("{\"e\u{301}\":1}", #"{"\u00e9":2}"#, "{\"e\u{301}\":1,\"\\u00e9\":2}"),
        // New members come in the order of the patch.
        (#"{"m":0}"#, #"{"z":1,"a":2,"k":3}"#, #"{"m":0,"z":1,"a":2,"k":3}"#),
        // Arrays are replaced whole, and null is a value in them.
        (#"{"l":[1,2,3]}"#, #"{"l":[ {"a":null}, null ]}"#, #"{"l":[ {"a":null}, null ]}"#),
        // An object in the place of something else loses its nulls at every depth, and nothing but those.
        ("5", #"{ "a" : 1.0 }"#, #"{ "a" : 1.0 }"#),
        ("[{}]", #"{"a":{"b":null,"c":{"d":null}},"e":[null]}"#, #"{"a":{"c":{}},"e":[null]}"#),
        (#"{"a":"text"}"#, #"{"a":{"b":null,"c":{ "d" : 1 }}}"#, #"{"a":{"c":{ "d" : 1 }}}"#),
        (#"{"a":null}"#, #"{"a":{}}"#, #"{"a":{}}"#),
        ("null", "{}", "{}"),
    ])
    func `untouched members keep every byte`(target: String, patch: String, result: String) throws {
        #expect(try Self.applied(patch, to: target) == result)
    }

    @Test func `a part of a larger document is patched as a document of its own`() throws {
        let whole = try JSONDocument(#" [0, {"a": 1, "b": [2]}, {"b":null,"c":{"d":null}}] "#)
        let parts = try #require(whole.elements)
        #expect(JSONMergePatch(parts[2]).applied(to: parts[1]).text == #"{"a": 1,"c":{}}"#)
    }

    @Test(arguments: 0..<8)
    func `a patch does what the algorithm of RFC 7396 does to plain trees`(seed: Int) throws {
        var random = SeededGenerator(state: UInt64(seed) &* 7919)
        for _ in 0..<500 {
            let target = try JSONDocument.random(using: &random)
            let patch = try JSONDocument.random(using: &random)
            let result = JSONMergePatch(patch).applied(to: target)
            #expect(Tree(result) == Tree(target).merging(Tree(patch)), "\(target) with \(patch)")
            #expect(result.isStrictlyValid, "\(result)")
            #expect(JSONMergePatch(patch).applied(to: result).isEquivalent(to: result))
            Self.expectUntouchedBytes(target, patch, result)
        }
    }

    /// Member by member: what the patch does not name has its bytes, and the order is the target's, then the patch's.
    static func expectUntouchedBytes(_ target: JSONDocument, _ patch: JSONDocument, _ result: JSONDocument) {
        guard let old = target.members, let changes = patch.members, let new = result.members else { return }
        let changed = Dictionary(changes.map { (Array($0.name.utf8), $0.value) }) { first, _ in first }
        let values = Dictionary(new.map { (Array($0.name.utf8), $0.value) }) { first, _ in first }
        for (name, value) in old {
            guard let change = changed[Array(name.utf8)] else {
                #expect(values[Array(name.utf8)] == value)
                continue
            }
            if let result = values[Array(name.utf8)] { expectUntouchedBytes(value, change, result) }
        }
        let oldNames = old.map { Array($0.name.utf8) }
        let kept = oldNames.filter { changed[$0]?.isNull != true }
        let added = changes.filter { !$0.value.isNull }.map { Array($0.name.utf8) }.filter { !oldNames.contains($0) }
        #expect(new.map { Array($0.name.utf8) } == kept + added)
    }

    @Test(arguments: 0..<4)
    func `an empty patch leaves every byte of an object`(seed: Int) throws {
        var random = SeededGenerator(state: UInt64(seed) &+ 100)
        for _ in 0..<500 {
            let target = try RandomShape.object(depth: 4, using: &random).document(using: &random)
            #expect(JSONMergePatch(.emptyObject).applied(to: target) == target)
        }
    }
}
