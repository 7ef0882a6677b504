// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingJSON
import SidingTesting
import Testing

@testable import Siding

/// Pages without records, which may be the last ones or not.
@Suite struct EmptyPageTests {
    @Test func `an empty page ends the listing where that is declared`() async throws {
        var bench = try await ListingEndTests.bench(paging: .linkHeader)
        bench.resource.stop.endsOnEmptyPage = true
        bench.origin.set("/posts", ListingEndTests.answer("ITEMS", 1...5, [("Link", "</posts?c=2>; rel=next")]))
        bench.origin.set("/posts?c=2", ListingEndTests.answer("ITEMS", [Int](), [("Link", "</posts?c=3>; rel=next")]))
        #expect(try await bench.sync().result.outcome == .saved)
        #expect(bench.origin.takeTargets() == ["/posts", "/posts?c=2"])
    }

    @Test func `an empty page ends the listing where that is declared, with any body`() async throws {
        var bench = try await ListingEndTests.bench(paging: .nextURL(JSONPath(member: "next")))
        bench.resource.stop.endsOnEmptyPage = true
        bench.origin.set("/posts", ListingEndTests.answer(#"{"items":ITEMS,"next":"/posts?c=2"}"#, 1...5))
        bench.origin.set("/posts?c=2", ListingEndTests.answer(#"{"items":ITEMS,"next":"/posts?c=3"}"#, [Int]()))
        #expect(try await bench.sync().result.outcome == .saved)
        bench.resource.paging = .automatic
        bench.origin.set("/posts", ListingEndTests.answer(#"{"items":ITEMS,"has_more":true}"#, 1...5))
        #expect(try await bench.sync().result.outcome == .partial)
    }

    @Test func `results="false" ends the listing`() async throws {
        let bench = try await ListingEndTests.bench(paging: .linkHeader)
        bench.origin.set(
            "/posts",
            ListingEndTests.answer(
                "ITEMS", 1...5, [("Link", #"</posts?c=2>; rel="next"; results="false"; cursor="c""#)])
        )
        #expect(try await bench.sync().result.outcome == .saved)
        #expect(bench.origin.takeTargets() == ["/posts"])
    }

    @Test func `a hundred empty pages in a row are not followed further`() async throws {
        let bench = try await ListingEndTests.bench(paging: .linkHeader)
        for number in 1...120 {
            let link = ("Link", "</posts?c=\(number + 1)>; rel=next")
            bench.origin.set(
                number == 1 ? "/posts" : "/posts?c=\(number)", ListingEndTests.answer("ITEMS", [Int](), [link]))
        }
        let report = try await bench.sync()
        #expect(report.result.outcome == .partial)
        #expect(report.warnings.first?.contains("stop: { empty_page: true }") == true)
        #expect(bench.origin.takeTargets().count == 100)
    }
}
