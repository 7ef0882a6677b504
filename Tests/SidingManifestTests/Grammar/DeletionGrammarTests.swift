// SPDX-License-Identifier: Apache-2.0
import Siding
import SidingJSON
import SidingManifest
import Testing

@Suite struct DeletionGrammarTests {
    private func resource(_ text: String) throws -> AnyResource {
        let config = try Fixture.parse(Self.file(text))
        return try #require(config.resources.first)
    }

    private static func file(_ text: String) -> String {
        """
        version: 1
        sources: { a: { base_url: https://example.com } }
        resources:
          b:
            path: /b
            key: id
            \(text)
        """
    }

    @Test func `left out, nothing is deleted and no paging is stable`() throws {
        let resource = try resource("")
        #expect(resource.deletions == Deletions())
        #expect(!resource.deletions.byAbsence && resource.deletions.mark == nil)
        #expect(!resource.isStable)
        #expect(try self.resource("deletes: { detect: none }").deletions == Deletions())
    }

    @Test func `missing records and marks are read`() throws {
        #expect(try resource("stable: true").isStable)
        #expect(
            try resource("deletes: { detect: complete_listing }").deletions == Deletions(byAbsence: true, most: 0.1))
        #expect(try resource("deletes: { detect: complete_listing, max: 2.5% }").deletions.most == 0.025)
        let path = try JSONPath(parsing: "$.gone")
        #expect(try resource("deletes: { field: $.gone }").deletions == Deletions(mark: DeletionMark(path)))
        let both = try resource("deletes: { detect: complete_listing, field: $.gone, equals: true }").deletions
        #expect(both == Deletions(byAbsence: true, mark: DeletionMark(path, equals: "true")))
        let asked = try resource("deletes: { detect: complete_listing, verify: '/b/{id}' }").deletions
        #expect(asked == Deletions(byAbsence: true, recordPath: "/b/{id}"))
    }

    @Test(arguments: [
        ("deletes: complete_listing", "'deletes' in resource 'b' is"),
        ("deletes: {}", "'deletes' in resource 'b' does not say how deletions are found"),
        ("deletes: { max: 10% }", "does not say how deletions are found"),
        ("deletes: { field: $.a, max: 10% }", "'max' in 'deletes' of resource 'b' is only for missing records"),
        ("deletes: { detect: complete_listing, max: 10 }", "did you mean '10%'?"),
        ("deletes: { detect: complete_listing, max: 101% }", "expected a percentage"),
        ("deletes: { detect: complete_listing, max: -1% }", "expected a percentage"),
        ("deletes: { detect: complete_listings }", "did you mean 'complete_listing'?"),
        ("deletes: { detect: complete_listing, equals: true }", "has no 'field' to compare"),
        ("deletes: { field: \"$.a[*]\" }", "which means several values"),
        (
            "deletes: { field: $.a, verify: '/b/{id}' }",
            "'verify' in 'deletes' of resource 'b' is only for missing records"
        ),
        ("deletes: { detect: complete_listing, verify: /b }", "does not say of which record"),
        ("deletes: { detect: complete_listing, verify: '/b?id={id}' }", "does not say of which record"),
        ("deletes: { detect: complete_listing, verify: '/b/{id}/{n}' }", "the placeholder '{n}'"),
        ("deletes: { detect: complete_listing, verify: 'https://x.example/{id}' }", "is a whole URL"),
        ("stable: 1", "did you mean 'true'?"),
    ])
    func `a contradiction is a fault with a message`(_ text: String, _ words: String) {
        let faults = Fixture.faults(Self.file(text))
        #expect(faults.contains { $0.contains(words) }, "\(faults)")
    }
}
