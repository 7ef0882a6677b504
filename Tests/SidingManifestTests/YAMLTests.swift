// SPDX-License-Identifier: Apache-2.0
import SidingJSON
import Siding
import SidingChain
import SidingManifest
import Testing

@Suite struct YAMLTests {
    static let valid =
        "version: 1\nsources: { a: { base_url: https://example.com } }\nresources: { b: { path: /b, key: id } }\n"

    @Test func `aliases and merge keys stand for their targets`() throws {
        let config = try Fixture.parse(
            """
            version: 1
            sources: { blog: { base_url: https://example.com, http: &patient { total_timeout: 5m } }, b: { base_url: https://b.example, http: *patient } }
            resources:
              posts: &base { source: blog, path: /posts, key: id, paginate: none }
              comments: { <<: *base, path: /comments }
              users:
                <<: [{ path: /users }, *base]
                key: login
            """)
        #expect(config.sources[1].transport.totalTimeout == .seconds(300))
        #expect(config.resources.map(\.path) == ["/posts", "/comments", "/users"])
        #expect(config.resources.map(\.paging) == [.none, .none, .none])
        #expect(config.resources[2].key.map(\.components) == [[.member("login")]])
    }

    @Test func `a fault in an aliased value is reported once for each owner, at its own place`() {
        let faults = Fixture.faults(
            """
            version: 1
            sources: { a: { base_url: https://example.com, retry: &r { inline: 99 } }, b: { base_url: https://b.example, retry: *r } }
            resources: { x: { source: a, path: /x, key: id }, y: { source: b, path: /y, key: id } }
            """)
        #expect(faults.map { $0.prefix(19) } == ["siding.yaml:2:68: '", "siding.yaml:2:68: '"])
        #expect(Set(faults).count == 2)
    }

    @Test(arguments: ["'*x'", "\"*x\"", "a*x", "a *x", "|-\n     *x"])
    func `an asterisk that is not an alias is text`(_ text: String) throws {
        let config = try Fixture.parse(
            "version: 1\nsources: { a: { base_url: https://example.com } }\nresources:\n  b:\n   path: /b\n   key: id\n   query:\n    q: \(text)\n"
        )
        guard let value = config.resources[0].query["q"], case .string(let text) = value else {
            Issue.record("q is no text")
            return
        }
        #expect(text.hasSuffix("*x"))
    }

    @Test(arguments: [
        ("version: 1", 4, 1, "version"), ("'version': 1", 4, 1, "version"), ("\"version\": 1", 4, 1, "version"),
        ("\"v\\x65rsion\": 1", 4, 1, "version"),
        ("database: { path: a, synchronous: full, path: b }", 4, 41, "path"),
        ("database:\n  path: a\n  ? path\n  : b", 6, 5, "path"),
    ])
    func `a duplicate key is reported at its second place`(_ text: String, _ line: Int, _ column: Int, _ name: String) {
        let faults = Fixture.faults(Self.valid + text)
        #expect(faults.count == 1)
        #expect(
            faults.first?.hasPrefix("siding.yaml:\(line):\(column): duplicate key '\(name)', given already in line ")
                == true)
    }

    @Test func `duplicate keys do not hide other faults`() {
        let faults = Fixture.faults(
            """
            version: 1
            sources: { a: { base_url: https://example.com, base_url: x } }
            version: 1
            version: 1
            resources: { b: { path: /b, key: id, kye: id, path: /c, max_age: 5 } }
            """)
        #expect(
            faults.map { $0.split(separator: ";")[0] } == [
                "siding.yaml:2:48: duplicate key 'base_url', given already in line 2",
                "siding.yaml:3:1: duplicate key 'version', given already in line 1",
                "siding.yaml:4:1: duplicate key 'version', given already in line 1",
                "siding.yaml:5:38: unknown key 'kye' in resource 'b'",
                "siding.yaml:5:47: duplicate key 'path', given already in line 5",
                "siding.yaml:5:66: 'max_age' in resource 'b' is '5'",
            ])
    }

    @Test(arguments: [
        ("version: !!int 1", "1:10: the tag 'tag:yaml.org,2002:int' means nothing here"),
        ("version: !secret x", "1:10: the tag '!secret' means nothing here"),
        ("version: *v", "1:10: the alias '*v' names no anchor that stands before it"),
        ("a: &a [*a]", "1:8: the alias '*a' names no anchor that stands before it"),
        ("? [a]\n: b", "1:3: a list, a map or an alias may not be a key"),
        ("&a a: b\n*a : c", "2:1: a list, a map or an alias may not be a key"),
        ("<<: 3", "1:5: '<<' is text"),
        ("a: \u{F0000}", "1:4: the character U+F0000 may not stand in YAML"),
        ("a: \u{FEFF}", "1:4: the character U+FEFF may not stand in YAML"),
    ])
    func `parts of YAML that no config needs are refused at their place`(_ text: String, _ fault: String) {
        #expect(Fixture.faults(text).contains { $0.hasPrefix("siding.yaml:" + fault) })
    }

    @Test func `a byte order mark and carriage returns shift no place`() {
        let text = "\u{FEFF}" + (Self.valid + "nope: 1").replacing("\n", with: "\r\n")
        #expect(Fixture.faults(text).map { $0.prefix(33) } == ["siding.yaml:4:1: unknown key 'nop"])
    }

    @Test(arguments: ["é", "日本", "👩‍👩‍👧", "\u{85}x"])
    func `columns count characters, not bytes`(_ name: String) {
        let text = "\"\(name)\": { nope: 1 }"
        let width = name.unicodeScalars.count
        guard name.unicodeScalars.first != "\u{85}" else {
            #expect(Fixture.faults("# \u{85}nope: 1")[0].hasPrefix("siding.yaml:2:1: unknown key 'nope'"))
            return
        }
        let faults = Fixture.faults(
            "version: 1\nsources: { a: { base_url: https://example.com } }\nresources: { b: { path: /b, key: id, query: { \"\(name)\": \"{page}\" } } }"
        )
        #expect(
            faults.first?.hasPrefix("siding.yaml:3:\(47 + width + 4): the placeholder") == true, "\(text) \(faults)")
    }

    @Test(
        arguments: [
            ("version: 1.0", "1"), ("version: '1'", "1"), ("version: 01", nil), ("version: 0x1", nil),
            ("version: +1", nil),
        ] as [(String, String?)])
    func `YAML 1.1's other spellings are refused with the one that is meant`(_ text: String, _ suggestion: String?) {
        let faults = Fixture.faults(YAMLTests.valid.replacing("version: 1", with: text))
        #expect(faults.count == 1)
        #expect(faults[0].hasPrefix("siding.yaml:1:10: 'version' is '"))
        #expect(faults[0].hasSuffix(suggestion.map { "did you mean '\($0)'?" } ?? "expected version: 1"))
    }

    @Test(
        arguments: [
            ("true", true), ("false", false), ("True", true), ("FALSE", false), ("yes", nil), ("on", nil), ("1", nil),
            ("'true'", nil),
        ] as [(String, Bool?)])
    func `a flag is true or false`(_ text: String, _ value: Bool?) throws {
        let file = YAMLTests.valid.replacing(
            "https://example.com", with: "https://example.com, http: { allow_plain_http: \(text) }")
        if let value {
            #expect(try Fixture.parse(file).sources[0].transport.allowsPlainHTTP == value)
        } else {
            #expect(
                Fixture.faults(file).map { $0.prefix(52) } == ["siding.yaml:2:74: 'allow_plain_http' in 'http' of so"])
        }
    }
}
