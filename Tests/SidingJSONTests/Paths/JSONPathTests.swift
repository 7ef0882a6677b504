// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import SidingJSON
import Testing

struct JSONPathTests {
    @Test(
        arguments: [
            ("$", []), ("$.a", [.member("a")]), ("$.a.b", [.member("a"), .member("b")]),
            ("$.list[0]", [.member("list"), .index(0)]), ("$[12][3].x", [.index(12), .index(3), .member("x")]),
            ("$[*]", [.each]), ("$.items[*]", [.member("items"), .each]),
            ("$.*", [.child]), ("$.items.*", [.member("items"), .child]), (#"$."*""#, [.member("*")]),
            (#"$."a.b"[0]"#, [.member("a.b"), .index(0)]), (#"$."""#, [.member("")]),
            (#"$."a\"b\\c""#, [.member(#"a"b\c"#)]), (#"$."@odata.nextLink""#, [.member("@odata.nextLink")]),
            (#"$."prénom""#, [.member("prénom")]), ("$.a_B9", [.member("a_B9")]),
        ] as [(String, [JSONPath.Component])])
    func `a path is read and written alike`(text: String, components: [JSONPath.Component]) throws {
        let path = try JSONPath(parsing: text)
        #expect(path.components == components)
        #expect(path.description == text)
        #expect(try JSONPath(parsing: path.description) == path)
    }

    @Test(arguments: [
        ("$.a b", #"$."a b""#), (#"$."a""#, "$.a"), ("$.next-page", #"$."next-page""#), ("$[007]", "$[7]"),
    ])
    func `a path has one way to be written`(text: String, canonical: String) throws {
        #expect(try JSONPath(parsing: text).description == canonical)
    }

    @Test(arguments: [
        ("", 0), ("id", 0), ("a.$", 0), ("$a", 1), ("$.", 2), ("$..a", 2), ("$.a.", 4), ("$.a[", 4), ("$.a[]", 4),
        ("$.a[-1]", 4), ("$.a[#-1]", 4), ("$.a[1", 5), ("$.a[1x]", 5), ("$.a[*", 5), ("$.a[*].b", 6), ("$.a[*][0]", 6),
        ("$.items*", 7), ("$.items.*.a", 9), ("$.items.*[*]", 9), ("$key", 1), ("lines", 0), ("$.a]", 3), ("$.a\"b", 3),
        (#"$."a"#, 4), (#"$."a\n""#, 5), (#"$."a"b"#, 5),
        ("$[99999999999999999999]", 20), ("$" + String(repeating: ".a", count: 65), 129),
    ])
    func `text that is not a path is refused at its byte`(text: String, offset: Int) throws {
        let error = #expect(throws: JSONPathError.self) { try JSONPath(parsing: text) }
        #expect(error?.offset == offset, "\(String(describing: error))")
        #expect(error?.description.hasSuffix("(at byte \(offset))") == true)
    }

    @Test func `a bare name is taken as it is`() {
        #expect(JSONPath(member: "user.login").components == [.member("user.login")])
        #expect(JSONPath(member: "user.login").description == #"$."user.login""#)
        #expect(JSONPath(member: "$.x").components == [.member("$.x")])
    }

    @Test func `a literal is a path`() throws {
        let path: JSONPath = "$.data.\"a b\"[0]"
        #expect(path.components == [.member("data"), .member("a b"), .index(0)])
        #expect("$key" == JSONPath.memberName)
        #expect("lines" == JSONPath.lines)
    }

    @Test func `a literal that is not a path ends the program with the reason`() async throws {
        let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let path: JSONPath = "data"
            print(path)
        }
        let error = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(error.contains(#""data" is not a JSON path: a path begins with $ (at byte 0)"#), "\(error)")
    }

    @Test(arguments: [JSONPath.root, .memberName, .lines, JSONPath(member: "a.b")])
    func `a path is coded as its text and read back`(_ path: JSONPath) throws {
        let coded = try JSONEncoder().encode([path])
        #expect(try JSONDecoder().decode([JSONPath].self, from: coded) == [path])
    }
}
