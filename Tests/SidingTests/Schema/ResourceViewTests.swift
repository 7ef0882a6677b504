// SPDX-License-Identifier: Apache-2.0
import SidingJSON
import Testing

@testable import Siding

@testable import SidingTesting

@Suite struct ResourceViewTests {
    @Test func `a view has a column for each member, in the order in which they were first seen`() async throws {
        let bench = try await FileBench()
        try await bench.commit(#"[{"id":1,"title":"one"},{"title":"two","id":2,"done":true}]"#)
        #expect(try await bench.columns("posts") == ["id", "title", "done"])
        let rows = try await bench.rows("SELECT id, title, done FROM posts ORDER BY id")
        #expect(rows == [["1", "one", nil], ["2", "two", "1"]])
    }

    @Test func `members that come later become columns behind the others`() async throws {
        let bench = try await FileBench()
        try await bench.commit(#"[{"id":1,"b":1}]"#)
        try await bench.commit(#"[{"a":2,"id":2}]"#)
        #expect(try await bench.columns("posts") == ["id", "b", "a"])
        #expect(try await bench.rows("SELECT a FROM posts WHERE id = 2") == [["2"]])
    }

    @Test func `names that differ in case alone get a suffix`() async throws {
        let bench = try await FileBench()
        try await bench.commit(#"[{"id":1,"Id":"two","ID":"three","Id_2":"four"}]"#)
        #expect(try await bench.columns("posts") == ["id", "Id_2", "ID_3", "Id_2_2"])
        #expect(
            try await bench.rows(#"SELECT id, "Id_2", "ID_3", "Id_2_2" FROM posts"#) == [["1", "two", "three", "four"]])
    }

    @Test func `names of any kind are columns`() async throws {
        let bench = try await FileBench()
        try await bench.commit(
            #"[{"id":1,"select":2,"a b":3,"a.b":4,"x[0]":5,"it's":6,"größe":7,"$":8,"-- ;DROP":9,"😀":10}]"#)
        let names = ["id", "select", "a b", "a.b", "x[0]", "it's", "größe", "$", "-- ;DROP", "😀"]
        #expect(try await bench.columns("posts") == names)
        #expect(try await bench.rows("SELECT * FROM posts") == [(1...10).map { "\($0)" }])
    }

    @Test func `names that SQLite cannot find are left to the body`() async throws {
        let bench = try await FileBench()
        try await bench.commit(#"[{"id":1,"q\"x":2,"b\\c":3,"\u0061":4,"":5,"n\nl":6,"ok":7}]"#)
        #expect(try await bench.columns("posts") == ["id", "ok"])
        #expect(try await bench.bench.record("1").body.count > 50)
    }

    @Test func `nested values are JSON text, scalars are values`() async throws {
        let bench = try await FileBench()
        try await bench.commit(#"[{"id":1,"o":{"x": [1,2]},"a":[ ],"t":"[1]","n":null,"f":1.5,"b":false}]"#)
        let row = try await bench.rows("SELECT o, a, t, n, f, b, typeof(f), typeof(b) FROM posts")
        #expect(row == [[#"{"x":[1,2]}"#, "[]", "[1]", nil, "1.5", "0", "real", "integer"]])
    }

    @Test func `a view has at most 200 columns`() async throws {
        let bench = try await FileBench()
        let members = (0..<250).map { #""m\#($0)":\#($0)"# }.joined(separator: ",")
        try await bench.commit(#"[{"id":1,\#(members)}]"#)
        #expect(try await bench.columns("posts").count == 200)
        try await bench.commit(#"[{"id":2,"later":1}]"#)
        #expect(try await bench.columns("posts").count == 200)
        #expect(try await bench.rows("SELECT COUNT(*) FROM posts") == [["2"]])
    }

    @Test func `members with endless names get no column, and stay in the body`() async throws {
        let bench = try await FileBench()
        let long = (0..<150).map { "\"m\($0)\(String(repeating: "x", count: 6_000))\":1" }.joined(separator: ",")
        let longest = String(repeating: "y", count: 1_000_000)
        try await bench.commit(#"[{"id":1,"\#(longest)":1,\#(long)},{"id":2,"n":3}]"#)
        #expect(try await bench.columns("posts") == ["id", "n"])
        #expect(try await bench.bench.record("1").body.count > 1_900_000)
    }

    @Test func `records without members have a view of their keys`() async throws {
        let bench = try await FileBench()
        try await bench.commit("[]")
        let position = try await bench.bench.open()
        let content = try Self.content(#"["red","green"]"#)
        _ = try await bench.store.commit(bench.bench.pageCommit(content, position))
        #expect(try await bench.rows("SELECT key FROM posts ORDER BY key") == [["green"], ["red"]])
    }

    @Test func `a resource without records can be queried`() async throws {
        let bench = try await FileBench()
        _ = try await bench.bench.open()
        #expect(try await bench.rows("SELECT * FROM posts") == [])
    }

    @Test func `a resource whose name differs from another's in case alone is refused, and the other's view stays`()
        async throws
    {
        let bench = try await FileBench()
        try await bench.commit(#"[{"id":1}]"#)
        await #expect(throws: StoreError.self) { _ = try await bench.bench.add("POSTS") }
        #expect(try await bench.rows("SELECT id FROM posts") == [["1"]])
        #expect(try await bench.store.resourceStates().map(\.resource) == ["posts"])
    }

    @Test func `a view of any name can be read`() async throws {
        let bench = try await FileBench()
        for name in ["select", "a b", "it's \"x\"", "größe", "-- ;DROP"] {
            _ = try await bench.bench.add(name)
            let quoted = name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
            #expect(try await bench.rows("SELECT * FROM \"\(quoted)\"") == [])
        }
        try await bench.store.close()
        try await Store.open(at: bench.path).close()
    }

    @Test func `the view is there again when the file is opened again`() async throws {
        let bench = try await FileBench()
        try await bench.commit(#"[{"id":1,"it's":"x"}]"#)
        try await bench.store.close()
        let again = try await Store.open(at: bench.path)
        let records = try await again.records(of: "posts", after: nil, limit: 9, deleted: false)
        #expect(records.map(\.key) == ["1"])
        await again.close()
    }

    private static func content(_ json: String) throws -> Page.Content {
        let bytes = Array(json.utf8)
        let contents = try bytes.withUnsafeBytes { try PageReader(records: nil, key: [.root]).read($0) }
        return .records(bytes, contents.records)
    }
}
