// SPDX-License-Identifier: Apache-2.0
import Siding
import SidingJSON
import SidingManifest
import Testing

@Suite struct ChildrenGrammarTests {
    private static func file(_ line: String, _ more: String = "") -> String {
        """
        version: 1
        sources: { a: { base_url: https://example.com } }
        resources:
          issues:
            path: /issues
            key: id
            \(line)
        \(more)
        """
    }

    @Test func `children and contract are read in full`() throws {
        let schema = try #require(try Fixture.parse(FullConfig.text).resources.first).schema
        #expect(schema.children.map(\.name) == ["labels", "tags"])
        #expect(schema.children[0].path.description == "$.labels" && schema.children[0].key?.description == "$.name")
        #expect(schema.children[0].columns.map(\.name) == ["name", "color"] && schema.children[1].key == nil)
        #expect(schema.contract == RecordContract(newFields: .quarantine, missingKey: .fail, typeChange: .fail))
        #expect(try Fixture.parse(Self.file("contract: {}")).resources.first?.schema == RecordSchema())
    }

    @Test(arguments: [
        ("children: {}", "is empty"), ("children: { labels: $.labels }", "is text"),
        ("children: { labels: { key: name } }", "has no 'path'"),
        ("children: { labels: { path: \"$.labels[*]\", key: \"$.x[*]\" } }", "several values"),
        ("children: { labels: { path: $.a }, Labels: { path: $.b } }", "ignores upper and lower case"),
        ("children: { siding_x: { path: $.a } }", "siding_"),
        ("children: { labels: { path: $.a, columns: { a: text, A: text } } }", "ignores upper and lower case"),
        ("children: { labels: { path: $.a, columns: { a: { index: true } } } }", "unknown key 'index'"),
        ("contract: { new_fields: drop }", "is 'drop'"), ("contract: { missing_key: allow }", "is 'allow'"),
        ("contract: { type: fail }", "unknown key 'type'"),
    ])
    func `an invalid value is a fault in its place`(_ line: String, _ words: String) {
        let faults = Fixture.faults(Self.file(line))
        #expect(faults.contains { $0.hasPrefix("siding.yaml:7:") && $0.contains(words) }, "\(faults)")
    }

    @Test func `a view of children beside a resource of that name is a fault`() {
        let faults = Fixture.faults(
            Self.file("children: { labels: { path: $.labels } }", "  issues_Labels: { path: /x, key: id }"))
        #expect(faults.count == 1 && faults[0].contains("'issues_labels'"), "\(faults)")
    }
}
