// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Siding
import SidingChain
import SidingImport
import SidingJSON
import SidingManifest
import SidingTesting
import Testing
import TestSupport

/// Whatever the file is, the answer is a configuration that is valid, or words.
@Suite struct RobustnessTests {
    /// Valid, or refused with at least one line; anything else is a failed expectation or a crash.
    private func survives(_ text: String, _ format: ImportFormat) throws {
        do throws(ImportError) {
            let result = try ConfigImport.read(text, file: "in.yaml", format: format)
            let environment = ConfigEnvironment(variables: [:], workingDirectory: "/", home: "/")
            #expect(throws: Never.self) {
                try Config.parse(result.config, file: "siding.yaml", environment: environment)
            }
            #expect(result.unmapped.allSatisfy { !$0.path.isEmpty && !$0.reason.isEmpty && $0.place.line >= 1 })
        } catch {
            #expect(!error.description.isEmpty)
        }
    }

    @Test(arguments: ImportFormat.allCases)
    func `every value exchanged for other kinds of values`(format: ImportFormat) throws {
        let whole = format == .dlt ? Tree.dlt : Tree.airbyte
        try survives(whole.text, format)
        // All of them take minutes; each value gets its share in turns.
        let stride = Proof.choose(short: 37, middle: 19, long: 1)
        for (number, path) in whole.paths.enumerated() {
            for (index, replacement) in Tree.replacements.enumerated() where (index + number) % stride == 0 {
                try survives(whole.replacing(path, with: replacement).text, format)
            }
        }
    }

    @Test(
        arguments: [
            "", "~", "[]", "{}", "a", "client: {}\nresources: []", "streams: []\nversion: 1", "\u{0}", "a: [",
            "client: { base_url: x }\nresources: [a]", "version: 1\nstreams: [1, {}, [], a]",
            "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nclient: *c\nresources: *c",
            "&x client: *x\nresources: *x", String(repeating: "[", count: 100_000),
            (0..<60).map { "a\($0): &a\($0) [\($0 == 0 ? "x" : "*a\($0 - 1), *a\($0 - 1)")]" }.joined(separator: "\n"),
            "client: { base_url: \"https://e.example\" }\nresources:\n" + String(repeating: "  - a\n", count: 500),
            "client: { base_url: \"https://e.example\" }\nresources: [\"\u{202E}evil\\u0007\", \"# x\", \"*a\", \"a: b\"]",
            "client: { base_url: \"https://e.example\" }\nresources: [\"" + String(repeating: "\\u0001", count: 2000)
                + "\", b]",
            "client: { base_url: \"https://e.example\" }\nresources: [{ name: a, endpoint: { params: { \""
                + String(repeating: "é", count: 3000) + "\": 1 } } }]",
        ])
    func `hostile text ends in a message`(text: String) throws {
        for format in ImportFormat.allCases { try survives(text, format) }
    }

    @Test(
        arguments: [
            "params: { fields: \"campaign{name}\" }", "params: { f: \"{a}\", g: \"{b}\" }",
            "params: { fields: [\"{name}\"] }", "params: { f: { g: { h: \"{x}\" } } }", "params: { \"\": x }",
            "method: POST, json: { a: \"{x}\" }", "method: PATCH", "path: \"a b/{\"", "path: \"http://[\"",
            "data_selector: \"a[\"", "paginator: { type: offset, limit: -1 }",
            "paginator: { type: page_number, base_page: -5 }",
            "headers: { \"b ad\": x }", "headers: { X-Y: \"a\\nb\" }",
            "response_actions: [{ status_code: 7, action: ignore }]",
            "response_actions: [{ status_code: 200, action: ignore }]", "params: { p: \"\\u0000\" }",
            "incremental: { cursor_path: \"\", start_param: since }",
        ])
    func `one inexpressible value affects no other resource`(endpoint: String) throws {
        let imported = try Imported.dlt(
            "{ name: good, primary_key: id, endpoint: { path: good, params: { q: x } } }",
            "{ name: bad, primary_key: id, endpoint: { \(endpoint) } }")
        let good = try #require(imported.config.resources.first { $0.name == "good" })
        #expect(good.path == "/good" && good.query == ["q": .string("x")])
    }

    @Test func `a map of which nothing is left is left out, and the rest of the resource stays`() throws {
        let imported = try Imported.dlt(
            "{ name: ads, primary_key: id, endpoint: { path: ads, params: { fields: \"campaign{name}\" } } }")
        #expect(try imported.resource.path == "/ads")
        #expect(try imported.resource.query == [:])
        #expect(imported.text.contains("# query: { fields: \"campaign{name}\" }"), "\(imported.text)")
        #expect(imported.unmapped.count == 1)
    }

    @Test func `a file of the other kind is reported as such`() {
        let dlt = "client: { base_url: x }\nresources: [a]"
        let airbyte = "version: 1\nstreams: []\ndefinitions: {}"
        for (text, format, word) in [(dlt, ImportFormat.airbyte, "--from dlt"), (airbyte, .dlt, "--from airbyte")] {
            do {
                _ = try ConfigImport.read(text, file: "f.yaml", format: format)
                #expect(Bool(false), "taken")
            } catch {
                #expect(error.description.contains(word))
                #expect(error.description.hasPrefix("f.yaml:1:1: "))
            }
        }
    }

    @Test func `a file that is too large is refused unread`() {
        let text = "# " + String(repeating: "x", count: 10 << 20)
        #expect(throws: ImportError.refused(["big.yaml: is too large; the limit is 4096 KiB"])) {
            try ConfigImport.read(text, file: "big.yaml", format: .dlt)
        }
    }

    @Test func `JSON is read as well as YAML, with places`() throws {
        let imported = try Imported(
            """
            {"client":{"base_url":"https://api.example.com/v2","auth":{"token":"dlt.secrets[\\"t\\"]"}},
             "resources":[{"name":"a","primary_key":"id","endpoint":{"params":{"q":"x\\/y"},"odd":true}}]}
            """, .dlt)
        #expect(try imported.resource.query == ["q": .string("x/y")])
        #expect(
            imported.lines == [
                "in.yaml:2:86: resources[0].endpoint.odd: the import does not support this key"
            ])
    }
}
