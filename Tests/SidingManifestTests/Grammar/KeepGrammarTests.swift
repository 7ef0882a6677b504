// SPDX-License-Identifier: Apache-2.0
import Siding
import SidingManifest
import Testing

@Suite struct KeepGrammarTests {
    private static func file(keep: String = "", of resource: String = "") -> String {
        """
        version: 1
        \(keep)
        sources: { a: { base_url: https://example.com } }
        resources:
          b:
            path: /b
            key: id
            \(resource)
        """
    }

    private static let changes = "query: { since: '{cursor}' }\n    cursor: { path: $.at }\n    "

    @Test func `left out, runs and completed entries stay for 30 days, deleted records for 90, and live ones for ever`()
        throws
    {
        let config = try Fixture.parse(Self.file())
        #expect(config.keep == KeepRules())
        #expect(config.keep.runs == .seconds(30 * 86_400) && config.keep.done == .seconds(30 * 86_400))
        #expect(config.keep.deleted == .seconds(90 * 86_400))
        #expect(config.resources.first?.keptRecords == nil)
    }

    @Test func `each age is read, and an omitted one has its default`() throws {
        let keep = try Fixture.parse(Self.file(keep: "keep: { runs: 60d, deleted: 1h }")).keep
        #expect(keep == KeepRules(runs: .seconds(60 * 86_400), deleted: .seconds(3_600)))
        #expect(try Fixture.parse(Self.file(keep: "keep: { done: 12h }")).keep == KeepRules(done: .seconds(12 * 3_600)))
    }

    @Test(arguments: [("90d", RecordRetention.age(.seconds(90 * 86_400))), ("10000", .count(10_000)), ("1", .count(1))])
    func `records are kept by age or by number`(_ text: String, expected: RecordRetention) throws {
        let config = try Fixture.parse(Self.file(of: Self.changes + "keep: { records: \(text) }"))
        #expect(config.resources.first?.keptRecords == expected)
    }

    @Test(arguments: [
        ("keep: { runs: 59m }", "", "'runs' in 'keep' is '59m'; expected an age of at least 1h"),
        ("keep: { deleted: 100000d }", "", "'deleted' in 'keep' is '100000d'; expected at most 3650d"),
        ("", changes + "keep: { records: 3651d }", "'3651d'; expected at most 3650d"),
        ("", "max_age: 100000d", "'max_age' in resource 'b' is '100000d'; expected at most 3650d"),
        ("", "schedule: 300000d", "'schedule' in resource 'b' is '300000d'; expected at most 3650d"),
        (
            "", "schedule: { every: 300000d }",
            "'every' in 'schedule' of resource 'b' is '300000d'; expected at most 3650d"
        ),
        ("keep: { done: 30 days }", "", "did you mean '30d'?"),
        ("keep: { events: 100 }", "", "unknown key 'events'"),
        ("", "keep: { records: 90d }", "those of this resource show every record; expected keep with cursor"),
        (
            "", changes + "deletes: { field: $.gone }\n    keep: { records: 90d }",
            "those of this resource show every record; expected keep without deletes"
        ),
        ("", changes + "keep: { records: 0 }", "'records' in 'keep' of resource 'b' is '0'"),
        ("", changes + "keep: {}", "has no 'records'"),
    ])
    func `an invalid age is a fault`(_ keep: String, _ resource: String, _ message: String) throws {
        let faults = Fixture.faults(Self.file(keep: keep, of: resource))
        #expect(faults.contains { $0.contains(message) }, "\(faults)")
    }
}
