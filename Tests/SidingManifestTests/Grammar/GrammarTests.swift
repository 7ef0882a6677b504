// SPDX-License-Identifier: Apache-2.0
import SidingJSON
import Siding
import SidingChain
import SidingManifest
import Testing

@Suite struct GrammarTests {
    private static func file(source: String = "", resource: String = "", root: String = "") -> String {
        """
        version: 1
        sources:
          a:
            base_url: https://example.com
            \(source)
        resources:
          b:
            path: /b
            key: id
            \(resource)
        \(root)
        """
    }

    @Test func `the defaults of the schema are those of the library`() throws {
        let schema = try SchemaDocument(Config.jsonSchema())
        let source = try #require(schema.root["properties"]?["sources"]?["additionalProperties"]?["properties"])
        let parts = try ["http", "retry"].map { name in
            let properties = try #require(source[name]?["properties"]).members
            let defaults = properties.compactMap { key, property in property["default"].map { "\(key): \($0.plain)" } }
            #expect(!defaults.isEmpty)
            return "\(name): { \(defaults.sorted().joined(separator: ", ")) }"
        }
        let spelled = try Fixture.parse(Self.file(source: parts.joined(separator: "\n    "))).sources[0]
        #expect(spelled.transport == TransportSettings())
        #expect(spelled.jsonLimits == JSONLimits())
        #expect(spelled.retry == RetryPolicy())
        #expect(spelled.expiry == nil)
    }

    @Test(arguments: [
        ("http://localhost:8080", "", true), ("http://127.0.0.1", "", true), ("http://[::1]:80", "", true),
        ("http://example.com", "", false), ("http://127.evil.example", "", false),
        ("http://192.168.1.1", "", false),
        ("http://example.com", "http: { allow_plain_http: true }", true),
        ("http://example.com", "http: { allow_plain_http: false }", false),
    ])
    func `plain http is used for this machine, or where it is allowed explicitly`(
        _ url: String, _ part: String, _ isAccepted: Bool
    ) {
        let text = Self.file(source: part).replacing("https://example.com", with: "'\(url)'")
        #expect(Fixture.faults(text).isEmpty == isAccepted)
    }

    @Test(arguments: [
        ("records: $", nil as String?), ("records: $.a, key: id", nil), ("records: '$.a[*]'", nil),
        ("records: '$.a.*'", nil), ("records: lines", nil), ("records: lines, paginate: link_header", nil),
        ("records: $.a.*, key: $key", nil), ("records: '$.*', key: [$key, id]", nil),
        ("key: $key", "its records are not members"), ("records: lines, key: $key", "its records are not members"),
        ("records: '$.a[*]', key: $key", "its records are not members"), ("records: line", "a path begins with $"),
        ("records: $.*.a", "nothing may follow .*"), ("key: $.a.*", "means several values"),
        ("key: $keys", "after a part comes"), ("stop: { has_more: $.a.* }", "means several values"),
        ("records: lines, paginate: next_url", "lines have nothing around them"),
        ("records: lines, paginate: { type: cursor, path: $.c, param: c }", "lines have nothing around them"),
        ("children: { c: { path: '$.c.*' } }", "means several values"),
        ("columns: { c: $.c.* }", "means several values"),
    ])
    func `the records of a page are an array, one record, the members of an object, or its lines`(
        _ part: String, _ words: String?
    ) {
        let key = part.contains("key:") ? "" : ", key: id"
        let faults = Fixture.faults(
            """
            version: 1
            sources: { a: { base_url: https://example.com } }
            resources:
              b: { path: /b\(key), \(part) }
            """)
        #expect(faults.count == (words == nil ? 0 : 1), "\(faults)")
        #expect(faults.first?.contains(words ?? "") ?? true, "\(faults)")
        #expect(faults.first?.hasPrefix("siding.yaml:4:") ?? true)
    }

    @Test(arguments: [
        ("/posts", true), ("posts", true), ("/posts?state=open", true), ("/a?next=https://x.example/", true),
        ("https://other.example/posts", false), ("/a b", false), ("/posts#top", false), ("/posts/{id}", false),
        ("/posts?token=x", false), ("?page=1", true),
    ])
    func `a resource's path lies below its source`(_ path: String, _ isAccepted: Bool) {
        let faults = Fixture.faults(Self.file().replacing("path: /b", with: "path: '\(path)'"))
        #expect(faults.count == (isAccepted ? 0 : 1))
        #expect(faults.allSatisfy { $0.hasPrefix("siding.yaml:8:11: ") })
    }

    @Test(arguments: [
        ("siding_x", false), ("SQLite_x", false), ("''", false), ("'a\\tb'", true), ("\"a\\tb\"", false),
        ("日本", true),
        (String(repeating: "x", count: 100), true), (String(repeating: "x", count: 101), false), ("sidings", true),
    ])
    func `names that the database or a command could not use are refused`(_ name: String, _ isAccepted: Bool) {
        let faults = Fixture.faults(Self.file().replacing("  b:", with: "  \(name):"))
        #expect(faults.count == (isAccepted ? 0 : 1))
        #expect(faults.allSatisfy { $0.hasPrefix("siding.yaml:7:3: the name of resource ") })
    }

    @Test(arguments: [
        ("a", true), ("a-b_2", true), ("A", false), ("2a", false), ("a.b", false), ("_a", false), ("a b", false),
    ])
    func `source names are words for a command line`(_ name: String, _ isAccepted: Bool) {
        let faults = Fixture.faults(Self.file().replacing("  a:", with: "  \(name):"))
        #expect(faults.count == (isAccepted ? 0 : 1))
        #expect(faults.allSatisfy { $0.hasPrefix("siding.yaml:3:3: the name of source ") })
    }

    @Test(arguments: [
        ("api_key", true), ("accessToken", true), ("jwt", true), ("X-Amz-Signature", true), ("code", false),
        ("key", false), ("Key", false), ("sig", false), ("auth", false), ("app_id", false), ("appid", false),
        ("session", false), ("session_id", false), ("sort", false),
    ])
    func `a query parameter is refused that only a credential has, in every spelling, and not one that may be ordinary`(
        _ name: String, _ isRefused: Bool
    ) {
        let faults = Fixture.faults(Self.file(resource: "query: { \(name): canary }"))
        #expect(faults.count == (isRefused ? 1 : 0), "\(faults)")
        #expect(faults.allSatisfy { $0.contains("'\(name)'") && !$0.contains("canary") })
    }

    @Test(
        arguments: [
            ("paginat", "paginate"), ("Paginate", "paginate"), ("max-age", "max_age"), ("recrods", "records"),
            ("ky", "key"),
            ("metod", "method"), ("for-each", "for_each"), ("xyzzy", nil), ("", nil),
        ] as [(String, String?)])
    func `a misspelt word is answered with the intended one`(_ name: String, _ meant: String?) {
        let faults = Fixture.faults(Self.file(resource: "'\(name)': x"))
        let suffix =
            meant.map { "; did you mean '\($0)'?" }
            ?? "conditional, max_age, schedule, columns, children, contract, history, keep, stable, deletes, for_each, "
            + "where, drop, set, rename, errors"
        #expect(faults.count == 1)
        #expect(faults[0].hasSuffix(suffix))
    }
}

extension JSONValue {
    /// As YAML writes a scalar.
    fileprivate var plain: String {
        switch self {
        case .string(let text): text
        case .number(let number): number == number.rounded() ? String(Int(number)) : String(number)
        case .bool(let flag): String(flag)
        case .null, .list, .object: "~"
        }
    }
}
