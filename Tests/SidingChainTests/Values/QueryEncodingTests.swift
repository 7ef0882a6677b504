// SPDX-License-Identifier: Apache-2.0
import SidingChain
import Testing

@Suite struct QueryEncodingTests {
    /// The golden outputs of the node documentation, and the edges around them.
    @Test(
        arguments: [
            (["age": 23, "name": "bob"], "age=23&name=bob"),
            (["f": true, "g": false], "f=1&g=0"),
            (["arr": ["a", 23, false]], "arr%5B%5D=a&arr%5B%5D=23&arr%5B%5D=0"),
            (["d": ["age": 23, "name": "bob"]], "d%5Bage%5D=23&d%5Bname%5D=bob"),
            (["d": ["l": [1, 2]]], "d%5Bl%5D%5B%5D=1&d%5Bl%5D%5B%5D=2"),
            (["q": "x+y z&w"], "q=x%2By%20z%26w"),
            (["a": [], "o": [:], "n": nil], ""),
            (["z": "", "u": "ż€", "t": "-._~", "x": 1.5, "i": -7], "i=-7&t=-._~&u=%C5%BC%E2%82%AC&x=1.5&z="),
            (["a b": "1", "a%b": "2"], "a%20b=1&a%25b=2"),
            (["l": [["a": 1], nil, [2]]], "l%5B%5D%5Ba%5D=1&l%5B%5D%5B%5D=2"),
            ([:], ""),
        ] as [([String: QueryValue], String)])
    func `parameters encode as documented`(_ parameters: [String: QueryValue], _ expected: String) {
        #expect(QueryEncoding().encode(parameters) == expected)
    }

    @Test func `strategies change only what they are for`() {
        #expect(QueryEncoding(bools: .asBool).encode(["f": true, "g": false]) == "f=true&g=false")
        #expect(QueryEncoding(arrays: .noBrackets).encode(["arr": ["a", 23, false]]) == "arr=a&arr=23&arr=0")
        #expect(QueryEncoding(arrays: .comma).encode(["arr": ["a,b", 23, false]]) == "arr=a%2Cb,23,0")
        #expect(QueryEncoding(arrays: .comma).encode(["arr": []]) == "")
        #expect(QueryEncoding(nulls: .empty).encode(["n": nil, "m": [nil]]) == "m%5B%5D=&n=")
    }

    @Test func `a query is added behind the URL's own`() throws {
        let url = try HTTPURL("http://a/p?x=1")
        #expect(url.appending(encodedQuery: "y=2").description == "http://a/p?x=1&y=2")
        #expect(url.appending(encodedQuery: "") == url)
        #expect(try HTTPURL("http://a/p").appending(encodedQuery: "y=2").description == "http://a/p?y=2")
        #expect(try HTTPURL("http://a/p?").appending(encodedQuery: "y=2").description == "http://a/p?y=2")
    }

    @Test(arguments: [
        ("http://a/?key=1&x=2", "http://a/?x=2"), ("http://a/?k%65y=1&x=2", "http://a/?x=2"),
        ("http://a/?key", "http://a/"),
        ("http://a/?x=2&key=1&key=3", "http://a/?x=2"), ("http://a/?keys=1", "http://a/?keys=1"),
        ("http://a/", "http://a/"),
        ("http://a/?%zz=1&key=2", "http://a/?%25zz=1"), ("http://a/?key=a=b&x==", "http://a/?x=="),
    ])
    func `a parameter is removed in any spelling of its name`(_ text: String, _ expected: String) throws {
        #expect(try HTTPURL(text).removingQuery(named: ["key"]).description == expected)
    }

    @Test func `a query is read as its parameters, names decoded and values as they are written`() throws {
        let parameters = try HTTPURL("http://a/?k%65y=a%20b&&x&y==&x=").queryParameters
        #expect(parameters.map(\.name) == ["key", "x", "y", "x"])
        #expect(parameters.map(\.value) == ["a%20b", nil, "=", ""])
        #expect(parameters.map(\.text).joined(separator: "&") == "k%65y=a%20b&x&y==&x=")
        #expect(try HTTPURL("http://a/?").queryParameters == [])
        #expect(try HTTPURL("http://a/").queryParameters == [])
    }

    @Test func `setting a parameter replaces the earlier ones`() throws {
        #expect(
            try HTTPURL("http://a/?p=1&x=2&p=3").settingQuery("p", to: "a b").description == "http://a/?x=2&p=a%20b")
    }

    @Test(arguments: [
        ("a%20b+c", "a b c"), ("%C3%BC", "ü"), ("ü\u{FFFD}x", "ü\u{FFFD}x"), ("%", "%"), ("%4", "%4"),
        ("%+5%-1%zz", "% 5%-1%zz"),
        ("%ü1", "%ü1"), ("", ""),
    ])
    func `any text is decoded, also what no URL may have`(_ text: String, _ decoded: String) {
        #expect(HTTPURL.decode(text) == decoded)
    }
}
