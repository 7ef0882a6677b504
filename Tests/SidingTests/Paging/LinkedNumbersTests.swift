// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Siding
import SidingChain
import SidingTesting
import Testing

/// A `Link` to a next page, where paging does not go by it: it tells that there is more.
@Suite struct LinkedNumbersTests {
    private func bench(
        _ paging: Paging = .page(.init(sizeParameter: "per_page", size: 20)),
        byAbsence: Bool = true
    ) async throws -> EngineBench {
        var bench = try await EngineBench(ScriptedOrigin())
        bench.resource.paging = paging
        bench.resource.deletions = Deletions(byAbsence: byAbsence)
        return bench
    }

    private static func target(_ number: Int) -> String {
        number == 1 ? "/posts?page=1&per_page=20" : "/posts?per_page=20&page=\(number)"
    }

    @Test func `a size above the origin's maximum ends no listing, and no record counts as deleted`()
        async throws
    {
        let bench = try await bench()
        bench.origin.set(Self.target(1), ScriptedOrigin.page("[6,5]", next: "/posts?page=2"))
        bench.origin.set(Self.target(2), ScriptedOrigin.page("[4,3]", next: "/posts?page=3"))
        bench.origin.set(Self.target(3), ScriptedOrigin.page("[2,1]"))
        #expect(try await bench.sync().warnings == [])
        #expect(bench.origin.takeTargets() == (1...3).map(Self.target))
        bench.origin.set(Self.target(1), ScriptedOrigin.page("[7,6]", next: "/posts?page=2"))
        bench.origin.set(Self.target(2), ScriptedOrigin.page("[5,4]", next: "/posts?page=3"))
        bench.origin.set(Self.target(3), ScriptedOrigin.page("[3,2]", next: "/posts?page=4"))
        bench.origin.set(Self.target(4), ScriptedOrigin.page("[1]"))
        for _ in 0..<2 { #expect(try await bench.sync().result.counters.deleted == 0) }
        #expect(try await bench.keys() == (1...7).map(String.init))
    }

    @Test func `where short pages were led on by it, the last one's 304 hides no new page`() async throws {
        let bench = try await bench(byAbsence: false)
        bench.origin.set(Self.target(1), ScriptedOrigin.page("[1,2]", next: "/posts?page=2", etag: "\"a\""))
        bench.origin.set(Self.target(2), ScriptedOrigin.page("[3,4]", etag: "\"b\""))
        _ = try await bench.sync()
        _ = bench.origin.takeTargets()
        bench.origin.set(Self.target(1), .status(.notModified))
        bench.origin.set(Self.target(2), ScriptedOrigin.page("[3,4]", next: "/posts?page=3", etag: "\"b\""))
        bench.origin.set(Self.target(3), ScriptedOrigin.page("[5]"))
        _ = try await bench.sync()
        let requests = bench.origin.takeRequests()
        #expect(requests.map(\.path) == [1, 2, 3].map(Self.target))
        // The first page's 304 leaves its link out, so that of the second would prove nothing.
        #expect(requests.map { $0.headerFields[.ifNoneMatch] } == ["\"a\"", nil, nil])
        #expect(try await bench.keys().contains("5"))
    }

    @Test func `full pages cause no further requests`() async throws {
        let bench = try await bench(
            .page(.init(sizeParameter: "per_page", size: 2)), byAbsence: false)
        let targets = ["/posts?page=1&per_page=2", "/posts?per_page=2&page=2", "/posts?per_page=2&page=3"]
        bench.origin.set(targets[0], ScriptedOrigin.page("[1,2]", next: "/posts?page=2", etag: "\"a\""))
        bench.origin.set(targets[1], ScriptedOrigin.page("[3]", etag: "\"b\""))
        bench.origin.set(targets[2], ScriptedOrigin.page("[]", etag: "\"c\""))
        _ = try await bench.sync()
        _ = bench.origin.takeTargets()
        for target in targets { bench.origin.set(target, .status(.notModified)) }
        #expect(try await bench.sync().result.outcome == .notModified)
        #expect(bench.origin.takeTargets() == targets)
    }

    @Test func `one page of several deletes nothing where no other is requested`() async throws {
        let bench = try await bench(.none)
        bench.origin.set("/posts", ScriptedOrigin.page("[1,2,3]", etag: "\"a\""))
        for _ in 0..<2 {
            _ = try await bench.sync()
            bench.origin.set("/posts", ScriptedOrigin.page("[2,3,4]", next: "/posts?page=2", etag: "\"b\""))
        }
        for _ in 0..<2 {
            let report = try await bench.sync()
            #expect(report.result.counters.deleted == 0)
            #expect(
                report.warnings.first?.hasPrefix(
                    "incomplete: a Link names a next page, which 'paginate: none' does not ask for") == true)
        }
        #expect(try await bench.keys() == ["1", "2", "3", "4"])
        var other = bench
        other.resource.deletions = Deletions()
        #expect(try await other.sync().warnings == [])
    }
}
