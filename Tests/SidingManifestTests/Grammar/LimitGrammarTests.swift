import HTTPTypes
import Siding
import SidingManifest
import Testing

@Suite struct LimitGrammarTests {
    private static func file(_ limits: String) -> String {
        """
        version: 1
        sources:
          a:
            base_url: https://example.com/v1
            limits:
              - \(limits)
        resources: { issues: { path: /issues, key: id } }
        """
    }

    @Test func `limits are read in their order`() throws {
        let limits = try #require(try Fixture.parse(FullManifest.text).sources.first { $0.name == "mail" }).limits
        #expect(limits.map(\.match.description) == ["/search/**", "**", "/export/*"])
        #expect(limits.map { $0.rate?.description } == ["30/m", "5000/h", nil])
        #expect(limits[1].remaining?.rawName == "X-RateLimit-Remaining")
        #expect(limits[1].reset?.rawName == "X-RateLimit-Reset")
        #expect(limits[2].remaining?.rawName == "X-Left")
    }

    @Test(arguments: [
        ("{ rate: 30/m }", "has no 'match'"),
        ("{ match: \"**\" }", "neither a rate nor a remaining_header"),
        ("{ match: \"**\", rate: 30/m, reset_header: X-Reset }", "a reset_header and no remaining_header"),
        ("{ match: search/**, rate: 30/m }", "begins with neither / nor **"),
        ("{ match: /a?b, rate: 30/m }", "more than a path"),
        ("{ match: /a**, rate: 30/m }", "** stands for whole segments"),
        ("{ match: \"**\", rate: 30 }", "is '30'; expected a number of requests and a time"),
        ("{ match: \"**\", rate: 30 / min }", "did you mean '30/m'?"),
        ("{ match: \"**\", rate: 0/m }", "is '0/m'"),
        ("{ match: \"**\", rate: 1/40d }", "is '1/40d'"),
        ("{ match: \"**\", rat: 1/m }", "did you mean 'rate'?"),
        ("{ match: \"**\", remaining_header: Content-Length }", "set by the transport alone"),
        ("{ match: \"**\", remaining_header: a b }", "is no name of a header field"),
        ("30/m", "expected a map with match, rate, remaining_header, reset_header"),
    ])
    func `a limit that cannot be is a fault in its place`(_ limit: String, _ words: String) {
        let faults = Fixture.faults(Self.file(limit))
        #expect(faults.contains { $0.hasPrefix("siding.yaml:6:") && $0.contains(words) }, "\(faults)")
    }

    @Test func `one pattern is counted once in a time, and in another time again`() {
        let twice = Self.file("{ match: \"**\", rate: 30/m }\n      - { match: \"**\", rate: 60/60s }")
        #expect(Fixture.faults(twice).contains { $0.contains("counts '**' twice in the same time") })
        #expect(Fixture.faults(Self.file("{ match: \"**\", rate: 30/m }\n      - { match: \"**\", rate: 60/h }")) == [])
    }
}
