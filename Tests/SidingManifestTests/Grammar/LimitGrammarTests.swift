// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Siding
import SidingManifest
import SidingChain
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
        let limits = try #require(try Fixture.parse(FullConfig.text).sources.first { $0.name == "mail" }).limits
        #expect(limits.map(\.match.description) == ["/search/**", "**", "/export/*", "**"])
        #expect(limits.map { $0.rate?.description } == ["30/m", "5000/h", nil, "50MiB/d"])
        #expect(limits.map { $0.rate?.unit } == [.requests, .requests, nil, .bytes])
        #expect(limits[1].remaining?.rawName == "X-RateLimit-Remaining")
        #expect(limits[1].reset?.rawName == "X-RateLimit-Reset")
        #expect(limits[2].remaining?.rawName == "X-Left")
    }

    @Test(arguments: [
        ("{ match: \"**\" }", "it has neither rate, bytes nor remaining_header"),
        ("{ match: \"**\", rate: 30/m, reset_header: X-Reset }", "a reset_header and no remaining_header"),
        ("{ match: search/**, rate: 30/m }", "begins with neither / nor **"),
        ("{ match: /a?b, rate: 30/m }", "has a query or a fragment"),
        ("{ match: /a**, rate: 30/m }", "** stands for whole segments"),
        ("{ match: \"**\", rate: 30 }", "is '30'; expected a number of requests and a time"),
        ("{ match: \"**\", rate: 30 / min }", "did you mean '30/m'?"),
        ("{ match: \"**\", rate: 0/m }", "is '0/m'"),
        ("{ match: \"**\", rate: 1/40d }", "is '1/40d'"),
        ("{ match: \"**\", rat: 1/m }", "did you mean 'rate'?"),
        ("{ match: \"**\", remaining_header: Content-Length }", "set by the transport alone"),
        ("{ match: \"**\", remaining_header: a b }", "is not a name of a header field"),
        ("30/m", "expected a map with match, rate, bytes, remaining_header, reset_header"),
        ("{ bytes: 50MiB }", "is '50MiB'; expected a size and a time such as 50MiB/d"),
        ("{ bytes: 50 mib / day }", "did you mean '50MiB/d'?"),
        ("{ bytes: 2g/h }", "did you mean '2GiB/h'?"),
        ("{ bytes: 0/d }", "is '0/d'"),
        ("{ bytes: 50TiB/d }", "is '50TiB/d'"),
        ("{ bytes: 1MiB/40d }", "is '1MiB/40d'"),
        ("{ rate: 50MiB/d }", "is '50MiB/d'; expected a number of requests and a time"),
        (
            "{ bytes: 50MiB/d, rate: 30/m }",
            "limits bytes and requests; expected an entry for the bytes, and one for the requests"
        ),
        ("{ bytes: 50MiB/d, remaining_header: X-Left }", "it limits bytes, but its remaining_header counts requests"),
        ("{ bytes: 50MiB/d, reset_header: X-Reset }", "a reset_header and no remaining_header"),
    ])
    func `a limit that cannot be is a fault in its place`(_ limit: String, _ words: String) {
        let faults = Fixture.faults(Self.file(limit))
        #expect(faults.contains { $0.hasPrefix("siding.yaml:6:") && $0.contains(words) }, "\(faults)")
    }

    @Test func `a limit without a pattern is of all requests`() throws {
        for (limit, written) in [("{ rate: 30/m }", "30/m"), ("{ bytes: 1048576/60s }", "1MiB/m")] {
            let read = try #require(try Fixture.parse(Self.file(limit)).sources.first?.limits.first)
            #expect(read.match.isOfAll && read.rate?.description == written)
        }
    }

    @Test func `bytes and requests of one pattern and time are two limits`() {
        #expect(Fixture.faults(Self.file("{ rate: 30/d }\n      - { bytes: 50MiB/d }")) == [])
        let twice = Self.file("{ bytes: 50MiB/d }\n      - { match: \"**\", bytes: 9MiB/24h }")
        #expect(Fixture.faults(twice).contains { $0.contains("counts '**' twice in the same time") })
    }

    @Test func `one pattern is counted once in a time, and in another time again`() {
        let twice = Self.file("{ match: \"**\", rate: 30/m }\n      - { match: \"**\", rate: 60/60s }")
        #expect(Fixture.faults(twice).contains { $0.contains("counts '**' twice in the same time") })
        #expect(Fixture.faults(Self.file("{ match: \"**\", rate: 30/m }\n      - { match: \"**\", rate: 60/h }")) == [])
    }
}
