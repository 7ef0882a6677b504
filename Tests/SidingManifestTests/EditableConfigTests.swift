// SPDX-License-Identifier: Apache-2.0
import SidingChain
import Siding
import SidingJSON
import SidingManifest
import Testing

/// Entries are added to the text of a config; what the user wrote stays.
@Suite struct EditableConfigTests {
    private static let posts = ConfigEntry(
        name: "posts", lines: ["path: /posts", "records: \"$.items[*]\"    # 5 records", "key: id"])
    private static let other = ConfigEntry(
        name: "other", lines: ["base_url: https://other.example", "# with a comment", "http:", "  max_body: 1MiB"])
    /// The same where there are several sources.
    private static let named = ConfigEntry(name: "posts", lines: ["source: other", "path: /posts", "key: id"])

    private static let written = """
        # Ours, since 2024.
        version: 1    # never changes

        sources:
            tracker:
                base_url: https://api.example.com    # the old one: https://old.example.com
            # Another one may come here.

        resources:
            issues: { path: /issues, key: id }
            users:
                path: "/users"
                key: 'login'    # the numbers change
                # paginate: link_header

        # What we change ourselves.
        writes:
            issues: { create: { path: /issues } }

        """

    private func added(_ text: String, source: ConfigEntry? = nil, _ resource: ConfigEntry = posts) throws -> String {
        try EditableConfig(text, file: "siding.yaml").adding(source: source, resource: resource)
    }

    @Test func `a resource is added behind the last one and its comments, at the file's own indentation`() throws {
        let text = try added(Self.written)
        let entry = """
                    # paginate: link_header

                posts:
                    path: /posts
                    records: "$.items[*]"    # 5 records
                    key: id

            # What we change ourselves.
            """
        #expect(text.contains(entry), "\(text)")
        #expect(
            text.replacing(
                "    posts:\n        path: /posts\n        records: \"$.items[*]\"    # 5 records\n        key: id\n\n",
                with: "")
                == Self.written)
        #expect(try Fixture.parse(text).resources.map(\.name) == ["issues", "users", "posts"])
    }

    @Test func `a second source is added, and resources without a source name the first`() throws {
        let text = try added(Self.written, source: Self.other, Self.named)
        let source = """
                # Another one may come here.

                other:
                    base_url: https://other.example
                    # with a comment
                    http:
                        max_body: 1MiB

            resources:
            """
        #expect(text.contains(source), "\(text)")
        #expect(text.contains("    issues: { source: tracker, path: /issues, key: id }\n"))
        #expect(text.contains("    users:\n        source: tracker\n        path: \"/users\"\n"))
        #expect(text.contains("    issues: { source: tracker, create: { path: /issues } }\n"))
        let config = try Fixture.parse(text)
        #expect(config.sources.map(\.name) == ["tracker", "other"])
        #expect(config.resources.map(\.source.name) == ["tracker", "tracker", "other"])
        #expect(config.writes.map(\.source.name) == ["tracker"])
    }

    @Test func `a third source changes no other entry`() throws {
        let two = try added(Self.written, source: Self.other, Self.named)
        let third = ConfigEntry(name: "third", lines: ["base_url: https://third.example"])
        let three = try added(
            two, source: third, ConfigEntry(name: "more", lines: ["source: third", "path: /more", "key: id"]))
        let new = ["third", "more"]
        let lines = three.split(separator: "\n", omittingEmptySubsequences: false)
        for name in new { #expect(lines.contains("    \(name):")) }
        #expect(two.split(separator: "\n").allSatisfy(lines.contains))
        #expect(try Fixture.parse(three).resources.map(\.source.name) == ["tracker", "tracker", "other", "third"])
    }

    @Test(arguments: [
        written, written.replacing("\n", with: "\r\n"), "\u{FEFF}" + written, "---\n" + written,
        written + "...\n", String(written.dropLast()), written + "\n\n# the end\n",
        written.replacing("    ", with: " "), written.replacing("    ", with: "       "),
        "version: 1\nresources:\n  a: { path: /a,\n key: id\n }\nsources:\n  s: { base_url: https://s.example }",
        "version: 1\nsources:\n  s: { base_url: https://s.example }\nresources:\n  a:\n    path: /a\n    key: id\n"
            + "    query:\n      q: |\n        # no comment\n        text\n\n\n",
        "version: 1\nsources:\n  s:\n    base_url: https://s.example\nwrites:\n  w: { create: { path: /w } }\n",
        "version: 1\nsources: # ours\n  ? s\n  : base_url: https://s.example\nresources: # ours\n  \"a b\":\n    path: /a\n"
            + "    key: id\n",
    ])
    func `every way to write lines can be extended, without other changes`(_ text: String) throws {
        let before = try Fixture.parse(text)
        for (source, resource) in [(nil, Self.posts), (Self.other, Self.named)] {
            let text = try added(text, source: source, resource)
            let after = try Fixture.parse(text)
            #expect(after.resources.map(\.name) == before.resources.map(\.name) + ["posts"])
            #expect(after.sources.map(\.name) == before.sources.map(\.name) + (source.map { [$0.name] } ?? []))
            #expect(after.resources.dropLast().map(\.path) == before.resources.map(\.path))
        }
        let scalars = try added(text, source: Self.other, Self.named).unicodeScalars
        let feeds = scalars.indices.filter { scalars[$0] == "\n" }
        let returns = feeds.filter { $0 > scalars.startIndex && scalars[scalars.index(before: $0)] == "\r" }
        #expect(returns.isEmpty || returns.count == feeds.count)
    }

    @Test(arguments: [
        (
            "{ version: 1, sources: { s: { base_url: https://s.example } }, resources: { a: { path: /a, key: id } } }",
            1, 64
        ),
        (
            "version: 1\nsources:\n  s: { base_url: https://s.example }\nresources: { a: { path: /a, key: id } }\n",
            4, 1
        ),
        (
            "version: 1\nsources:\n  s: { base_url: https://s.example }\nresources:\n  { a: { path: /a, key: id } }\n",
            4, 1
        ),
        (
            "version: 1\nsources:\n  s: { base_url: https://s.example }\nresources: &all\n  a: { path: /a, key: id }\n",
            4, 1
        ),
    ])
    func `a file that is not written in lines is refused, with its place`(
        _ text: String, _ line: Int, _ column: Int
    ) throws {
        _ = try Fixture.parse(text)
        let error = #expect(throws: ConfigError.self) { _ = try added(text) }
        let fault = try #require(error?.faults.first)
        #expect(fault.place == Place(file: "siding.yaml", line: line, column: column))
        #expect(fault.message.contains("'resources' is not written in lines"))
    }

    @Test func `an anchor in the place of a name is refused rather than moved`() throws {
        let text = """
            version: 1
            sources:
              s: { base_url: https://s.example }
            resources:
              a: &a { path: /a, key: id }
              b: { <<: *a, path: /b }
            """
        #expect(try Fixture.parse(added(text)).resources.map(\.path) == ["/a", "/b", "/posts"])
        let error = #expect(throws: ConfigError.self) { _ = try added(text, source: Self.other, Self.named) }
        #expect(error?.description.contains("nothing can be added without changing other lines") ?? false)
    }

    @Test func `a source is compared by the members that are given`() throws {
        let text = Self.written.replacing(
            "        base_url", with: "        auth: { token: { env: \"A\" }, type: bearer }\n        base_url")
        let config = try EditableConfig(text, file: "siding.yaml")
        let lines = ["auth: { type: bearer, token: { env: A } }", "auth: { type: bearer, token: { env: B } }"]
        #expect(config.source("tracker", has: [lines[0]]) && config.source("tracker", has: []))
        #expect(!config.source("tracker", has: [lines[1]]) && !config.source("other", has: [lines[0]]))
    }

    @Test(arguments: [
        ("{ path: /t, records: $.items[*], key: id }", "\"$.items[*]\""),
        ("{ path: /issues/{id}, key: id }", "\"/issues/{id}\""),
        ("{\n  records: $.data[*].rows[*]\n}", "\"$.data[*].rows[*]\""),
        ("{ verify: /x/{id}/y/{z} }", "\"/x/{id}/y/{z}\""), ("[$.a, $.b[*].c]", "\"$.b[*].c\""),
    ])
    func `a path that YAML splits inside braces is reported with the quotes around it`(
        _ value: String, _ path: String
    ) {
        let faults = Fixture.faults("version: \(value)")
        #expect(faults.count == 1)
        #expect(
            faults.first?.hasSuffix("expected quotes around the path, as it is inside braces: \(path)") ?? false,
            "\(faults)")
    }

    @Test(arguments: ["{ a: \"x\" \"$.items[*]\" }", "{ a: [x] y }", "{ a: '/issues/{id}' b }"])
    func `other faults inside braces keep their own hint`(_ value: String) {
        #expect(Fixture.faults("version: \(value)").first?.contains("a comma, or a closing brace") ?? false)
    }
}
