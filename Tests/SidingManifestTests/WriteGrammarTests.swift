import HTTPTypes
import Siding
import SidingChain
import SidingManifest
import Testing

@Suite struct WriteGrammarTests {
    private static func file(_ writes: String) -> String {
        """
        version: 1
        sources: { a: { base_url: "https://example.com/v1" } }
        resources: { issues: { path: /issues, key: id } }
        writes:
          \(writes)
        """
    }

    @Test func `everything that may be said of writes is read`() throws {
        let manifest = try Fixture.parse(FullManifest.text)
        let write = try #require(manifest.writes.first)
        #expect(write.name == "issues" && write.source.name == "tracker" && write.resource?.name == "issues")
        #expect(write.operations[.create]?.method == .post)
        #expect(write.operations[.update]?.method == .put && write.operations[.update]?.sendsIfMatch == true)
        #expect(write.operations[.delete]?.goneIsDone == false)
        #expect(write.idempotency?.lifetime == .seconds(7200))
        #expect(write.conflict == .merge && write.coalesces)
        #expect(write.source.idempotency?.format == .quoted)
        let request = try write.request(.update, id: "a/b", body: [])
        #expect(request.url.description == "https://api.example.com/v2/issues/a%2Fb")
        #expect(request.lane == "issues/a/b")
        #expect(request.operation == "issues.update")
    }

    @Test func `a record that is created has a lane that later writes to it share`() throws {
        let manifest = try Fixture.parse(Self.file("issues: { create: { path: /issues }, lane: 'i/{id}' }"))
        let request = try #require(try manifest.writes.first?.request(.create, body: []))
        let key = try #require(request.edit?.key)
        #expect(request.lane == "i/\(key)")
        #expect(TemporaryID.matches(key))
    }

    @Test(arguments: [
        ("issues: { update: { path: /issues } }", "names no record"),
        ("issues: { create: { path: '/issues#x' } }", "does not make a URL"),
        ("issues: { create: { path: 'https://else.test/x' } }", "does not make a URL"),
        ("issues: { create: { path: '/issues?token=x' } }", "token"),
        ("issues: { lane: x }", "says nothing to do"),
        ("issues: { source: b, create: { path: /issues } }", "which 'sources' does not have"),
        ("'a.b': { create: { path: /issues } }", "is not one that commands can use"),
        ("issues: { create: { path: /issues, method: GET } }", "GET"),
        ("issues: { create: { path: /issues }, conflict: { then: win } }", "win"),
        ("issues: { create: { path: /issues }, unknown: { probe: x } }", "not yet supported"),
    ])
    func `what cannot be sent is a fault in its place`(writes: String, words: String) {
        let faults = Fixture.faults(Self.file(writes))
        #expect(faults.count == 1)
        #expect(faults.first?.contains(words) == true && faults.first?.hasPrefix("siding.yaml:5:") == true, "\(faults)")
    }
}
