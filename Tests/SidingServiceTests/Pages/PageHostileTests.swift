// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingJSON
import SidingTesting
import Testing

@testable import Siding
@testable import SidingService

/// What records, answers and addresses say is text on every page, whatever it looks like.
@Suite struct PageHostileTests {
    static let strings = [
        "<script>window.hacked = 1</script>", "</script><script>x()</script>", "<img src=x onerror=\"x()\">",
        "\"><svg onload=x()>", "' onmouseover='x()", "\" autofocus onfocus=\"x()", "\"\u{301} onfocus=x() a=\"\u{301}",
        "<\u{301}script>x()</script>", "javascript:x()", "{{{title}}}", "{{#rows}}{{/rows}}{{> layout}}",
        "{{% CONTENT_TYPE: TEXT}}", "{{=<% %>=}}", "&lt;b&gt; &amp;", "</code></pre></main></body>",
        "<!-- <plaintext> ]]>",
        "<textarea></textarea><style>*{}</style>", "\u{202E}gpj.exe\u{2066}", "\u{1B}[31mred\u{9B}0m",
        "nul\u{0}bell\u{7}",
        "\u{FEFF}\u{200B}", "%3Cscript%3E", "../../etc", "..", "", "a/b?c#d", "\\\"\\u003cscript\\u003e",
    ]

    private static let elements: Set = [
        "html", "head", "meta", "title", "link", "script", "body", "a", "header", "nav", "ul", "li", "main", "p",
        "section",
        "h1", "h2", "h3", "table", "caption", "thead", "tbody", "tr", "th", "td", "span", "time", "code", "pre", "dl",
        "dt",
        "dd", "div", "form", "input", "button", "label", "select", "option", "textarea", "strong", "del", "ins", "mark",
        "svg", "path", "rect", "text", "footer",
    ]
    private static let attributes: Set = [
        "lang", "charset", "name", "content", "rel", "href", "src", "defer", "class", "aria-label", "aria-current",
        "id",
        "tabindex", "role", "datetime", "title", "scope", "data-label", "aria-labelledby", "aria-hidden", "method",
        "action",
        "type", "value", "for", "selected", "viewbox", "x", "y", "width", "height", "d", "aria-sort",
        "autocomplete", "rows", "spellcheck",
    ]

    /// The page has only elements and attributes of the templates, one script, and addresses of its own.
    private func expectSound(_ page: ParsedPage, _ address: String, _ location: SourceLocation = #_sourceLocation) {
        for element in page.elements {
            #expect(Self.elements.contains(element.name), "<\(element.name)> on \(address)", sourceLocation: location)
            for attribute in element.attributes.keys {
                #expect(
                    Self.attributes.contains(attribute.lowercased()), "\(attribute)= on \(address)",
                    sourceLocation: location)
            }
        }
        #expect(page.all("script").map { $0["src"] } == ["/app.js"], sourceLocation: location)
        #expect(page.links.allSatisfy { $0.hasPrefix("/") && !$0.hasPrefix("//") }, sourceLocation: location)
        let isPlain = page.html.unicodeScalars.allSatisfy { $0 == "\n" || PlainText.isHarmless($0) }
        #expect(isPlain, "invisible characters on \(address)", sourceLocation: location)
    }

    private func json(_ text: String) -> String {
        var writer = JSONWriter()
        writer.string(text)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test func `records show as text, under every key`() async throws {
        let bench = try await ServiceBench()
        let records = Self.strings.map { text in #"{"id":\#(json(text)),"title":\#(json(text)),\#(json("m" + text)):1}"#
        }
        try await bench.sync("[\(records.joined(separator: ","))]")
        try await bench.sync("[\(Self.strings.map { #"{"id":\#(json($0)),"title":"now"}"# }.joined(separator: ","))]")
        let list = try await bench.shown("/records/notes")
        expectSound(list, "the list")
        let keys = try await bench.store.records(of: "notes", after: nil, limit: 99, deleted: false).map(\.key)
        // An empty text is no key, and two of the texts are the same to SQLite.
        #expect(list.rowNames.count == keys.count && keys.count >= Self.strings.count - 2)
        for key in keys {
            guard let address = PageLink.record(key, of: "notes") else {
                #expect(key.utf8.contains(0))
                continue
            }
            let page = try await bench.shown(address)
            expectSound(page, address)
            // Of the text itself nothing is lost but what cannot be seen.
            let visible = key.unicodeScalars.filter { PlainText.isHarmless($0) }
            if visible.count == key.unicodeScalars.count { #expect(page.text("h1") == "notes \(key)") }
        }
        for text in Self.strings where !text.utf8.contains(0) {
            let address = PageLink.path("records", "notes", query: [("q", text), ("done", text), ("after", text)])
            expectSound(try await bench.shown(address), address)
        }
    }

    @Test func `writes and answers show as text`() async throws {
        let bench = try await ServiceBench()
        try await bench.sync(#"[{"id":"a","title":"base"}]"#)
        for text in Self.strings {
            let entry = try await bench.write(text)
            try await bench.park(entry, .rejected, status: 422, answer: text)
            let address = "/queue/\(entry.id)"
            expectSound(try await bench.shown(address), address)
        }
        expectSound(try await bench.shown("/queue"), "/queue")
    }

    @Test func `quarantined bytes show as text`() async throws {
        let bench = try await ServiceBench()
        try await bench.sync(#"[{"id":"a","size":1}]"#)
        let wrong = Self.strings.map { #"{"id":\#(json("k" + $0)),"size":\#(json($0))}"# }
        try await bench.sync("[\(wrong.joined(separator: ","))]")
        expectSound(try await bench.shown("/quarantine"), "/quarantine")
        for record in try await bench.store.quarantined(QuarantineSelection()) {
            for address in ["/quarantine/\(record.id)", "/quarantine/\(record.id)/drop"] {
                expectSound(try await bench.shown(address), address)
            }
        }
    }

    @Test func `a merged record can be sent back as it is shown`() async throws {
        let bench = try await ServiceBench()
        let records = Self.strings.enumerated().map { #"{"id":"\#($0)","title":"base","note":\#(json($1))}"# }
        try await bench.sync("[\(records.joined(separator: ","))]")
        for (index, text) in Self.strings.enumerated() {
            let entry = try await bench.edit("\(index)", "mine")
            try await bench.park(entry, .conflict)
            let page = try await bench.shown("/queue/\(entry.id)/resolve?how=merge")
            expectSound(page, "merge")
            let record = try JSONDocument(page.text("textarea"))
            let note = record.value(at: JSONPath(member: "note"))
            #expect(note?.string == text, "\(index)")
        }
    }
}
