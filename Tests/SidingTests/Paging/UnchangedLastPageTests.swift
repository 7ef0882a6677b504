// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Siding
import SidingChain
import SidingTesting
import Testing

/// A 304 is a word on the bytes of a page, and not on what its header fields said when it had no page behind it.
@Suite struct UnchangedLastPageTests {
    private static let unchanged = ScriptedAnswer.status(.notModified)

    private func bench(
        _ paging: Paging = .linkHeader,
        first: ScriptedAnswer = ScriptedOrigin.page("[1]", etag: "\"a\"")
    ) async throws -> EngineBench {
        var bench = try await EngineBench(ScriptedOrigin(["/posts": first]))
        bench.resource.paging = paging
        _ = try await bench.sync()
        _ = bench.origin.takeRequests()
        return bench
    }

    /// A page whose header fields have relations between pages, whether or not there is a next one.
    private static func related(next: String? = nil) -> ScriptedAnswer {
        let links = ["</posts>; rel=\"first\""] + (next.map { ["<\($0)>; rel=\"next\""] } ?? [])
        return ListingEndTests.answer("ITEMS", 1...1, [("ETag", "\"a\""), ("Link", links.joined(separator: ", "))])
    }

    @Test func `where a 304 names no next page the last page is requested whole, and a new page is found`()
        async throws
    {
        let bench = try await bench(first: Self.related())
        bench.origin.set("/posts", Self.unchanged, Self.related(next: "/posts?page=2"))
        bench.origin.set("/posts?page=2", ScriptedOrigin.page("[2]"))
        let report = try await bench.sync()
        let requests = bench.origin.takeRequests()
        #expect(requests.map(\.path) == ["/posts", "/posts", "/posts?page=2"])
        #expect(requests.map { $0.headerFields[.ifNoneMatch] } == ["\"a\"", nil, nil])
        #expect(report.result.counters.requests == 3 && report.result.counters.pages == 2)
        #expect(try await bench.keys() == ["1", "2"])
    }

    @Test func `where nothing is behind it that costs one request once, and no record is written`() async throws {
        let bench = try await bench(first: Self.related())
        bench.origin.set("/posts", Self.unchanged, Self.related())
        for requests in [2, 1, 1] {
            let report = try await bench.sync()
            #expect(report.result.counters.requests == requests)
            #expect(report.result.counters.unchanged == 1 && report.result.counters.updated == 0)
            #expect(try await bench.state().completedAt == bench.time.now)
        }
        #expect(bench.origin.takeRequests().map { $0.headerFields[.ifNoneMatch] } == ["\"a\"", nil, nil, nil])
    }

    private static let next = HTTPField.Name("X-Next-Page")!

    @Test(arguments: [Paging.linkHeader, .nextHeader(next), .headerCursor(next, parameter: "page")], [true, false])
    func `a single page whose header fields name no page costs one request in each sync, and hides no new page`(
        _ paging: Paging, _ byAbsence: Bool
    ) async throws {
        var bench = try await EngineBench(ScriptedOrigin(["/posts": ScriptedOrigin.page("[1]", etag: "\"a\"")]))
        (bench.resource.paging, bench.resource.deletions) = (paging, Deletions(byAbsence: byAbsence))
        for _ in 0..<4 { #expect(try await bench.sync().result.counters.requests == 1) }
        #expect(bench.origin.takeRequests().allSatisfy { $0.headerFields[.ifNoneMatch] == nil })
        #expect(try await SyncPlan.make(for: bench.resource, in: bench.store, now: bench.time.now).conditions == [])
        let link = try #require(HTTPField.Name("Link"))
        let fields: HTTPFields = [.eTag: "\"a\"", link: "</posts?page=2>; rel=\"next\"", Self.next: "2"]
        bench.origin.set("/posts", .text(#"[{"id":1}]"#, headerFields: fields))
        bench.origin.set("/posts?page=2", ScriptedOrigin.page("[2]"))
        _ = try await bench.sync()
        #expect(try await bench.keys() == ["1", "2"])
    }

    @Test(arguments: [Paging.linkHeader, .automatic])
    func `an origin whose 304 names the next page is trusted where it names none`(_ paging: Paging) async throws {
        let bench = try await bench(
            paging, first: ScriptedOrigin.page("[1]", next: "/posts?page=2", etag: "\"a\""))
        bench.origin.set("/posts?page=2", ScriptedOrigin.page("[2]", etag: "\"b\""))
        _ = try await bench.sync()
        _ = bench.origin.takeTargets()
        let link = try #require(HTTPField.Name("Link"))
        bench.origin.set("/posts", .status(.notModified, headerFields: [link: "</posts?page=2>; rel=\"next\""]))
        bench.origin.set("/posts?page=2", Self.unchanged)
        #expect(try await bench.sync().result.outcome == .notModified)
        #expect(bench.origin.takeTargets() == ["/posts", "/posts?page=2"])
    }

    @Test func `a header field that auto found is read there, behind pages with an unchanged next page`() async throws {
        let next = try #require(HTTPField.Name("X-Next-Page"))
        let first = ScriptedAnswer.text(#"[{"id":1}]"#, headerFields: [.eTag: "\"a\"", next: "2"])
        let bench = try await bench(.automatic, first: first)
        bench.origin.set("/posts?page=2", ScriptedOrigin.page("[2]", etag: "\"b\""))
        _ = try await bench.sync()
        bench.origin.set("/posts", Self.unchanged)
        bench.origin.set(
            "/posts?page=2",
            .text(#"[{"id":2}]"#, headerFields: [.eTag: "\"b\"", next: "3"]))
        bench.origin.set("/posts?page=3", ScriptedOrigin.page("[3]"))
        _ = try await bench.sync()
        #expect(try await bench.keys() == ["1", "2", "3"])
    }

    @Test func `pages that name the next one in their body are trusted`() async throws {
        let first = ScriptedAnswer.text(
            #"{"items":[{"id":1}],"next":"/posts?page=2"}"#, headerFields: [.eTag: "\"a\""])
        let bench = try await bench(.automatic, first: first)
        bench.origin.set("/posts?page=2", .text(#"{"items":[{"id":2}],"next":null}"#, headerFields: [.eTag: "\"b\""]))
        _ = try await bench.sync()
        _ = bench.origin.takeTargets()
        for target in ["/posts", "/posts?page=2"] { bench.origin.set(target, Self.unchanged) }
        bench.time.advance(by: .seconds(100_000))
        #expect(try await bench.sync().result.outcome == .notModified)
        #expect(bench.origin.takeTargets() == ["/posts", "/posts?page=2"])
    }

    // MARK: Pages that are filled

    /// Pages with so many records each, linked by `Link`; the targets, asked for once.
    private func filled(
        _ counts: [Int], _ paging: Paging = .linkHeader,
        _ change: (inout AnyResource) -> Void = { _ in }
    ) async throws -> (bench: EngineBench, targets: [String]) {
        var bench = try await EngineBench(ScriptedOrigin())
        bench.resource.paging = paging
        change(&bench.resource)
        let targets = ["/posts"] + counts.indices.dropFirst().map { "/posts?page=\($0 + 1)" }
        for (index, count) in counts.enumerated() {
            let next = index + 1 < counts.count ? targets[index + 1] : nil
            bench.origin.set(targets[index], Self.page(index, count, next: next), Self.unchanged)
        }
        _ = try await bench.sync()
        #expect(bench.origin.takeTargets() == targets)
        return (bench, targets)
    }

    private static func page(_ index: Int, _ count: Int, next: String? = nil) -> ScriptedAnswer {
        let ids = (0..<count).map { String(index * 10 + $0) }.joined(separator: ",")
        return ScriptedOrigin.page("[\(ids)]", next: next, etag: "\"\(index)\"")
    }

    @Test(arguments: [Paging.linkHeader, .automatic])
    func `a last page with room is trusted behind pages that are all full: one request for each`(
        _ paging: Paging
    ) async throws {
        let (bench, targets) = try await filled(Array(repeating: 2, count: 49) + [1], paging)
        let report = try await bench.sync()
        #expect(report.result.outcome == .notModified)
        #expect(report.result.counters.requests == 50 && report.result.counters.notModified == 50)
        let requests = bench.origin.takeRequests()
        #expect(requests.map(\.path) == targets)
        #expect(requests.allSatisfy { $0.headerFields[.ifNoneMatch] != nil })
    }

    @Test func `a full last page is requested whole, and the page that has come behind it is found`() async throws {
        let (bench, targets) = try await filled([2, 2, 2])
        bench.origin.set(targets[2], Self.page(2, 2), Self.page(2, 2, next: "/posts?page=4"))
        // At once: the 304s before it leave out their next pages.
        #expect(try await bench.sync().result.counters.requests == 3)
        #expect(bench.origin.takeRequests().map { $0.headerFields[.ifNoneMatch] } == ["\"0\"", "\"1\"", nil])
        bench.origin.set("/posts?page=4", Self.page(3, 1))
        #expect(try await bench.sync().result.counters.inserted == 1)
        #expect(try await bench.keys().contains("30"))
    }

    @Test func `a short last page is requested whole where page sizes differ, and where missing records are deleted`()
        async throws
    {
        for (counts, byAbsence) in [([2, 3, 1], false), ([2, 2, 1], true)] {
            let (bench, targets) = try await filled(counts) {
                $0.deletions = Deletions(byAbsence: byAbsence)
            }
            bench.origin.set(targets[2], Self.page(2, 1))
            _ = try await bench.sync()
            let requests = bench.origin.takeRequests()
            #expect(requests.map(\.path) == targets)
            #expect(requests.map { $0.headerFields[.ifNoneMatch] } == ["\"0\"", "\"1\"", nil])
        }
    }

    @Test func `a last page whose 304 leaves out the next pages is requested twice where the page before it changed`()
        async throws
    {
        let (bench, targets) = try await filled([2, 2, 2])
        bench.origin.set(targets[0], Self.page(0, 1, next: targets[1]))
        bench.origin.set(targets[1], Self.page(1, 1, next: targets[2]))
        bench.origin.set(targets[2], Self.unchanged, Self.page(2, 2))
        _ = try await bench.sync()
        #expect(bench.origin.takeTargets() == targets + [targets[2]])
    }

    @Test(arguments: [("2", true), ("9", false)])
    func `one page before the last shows the size of a full one only where it has the requested size`(
        _ asked: (size: String, isBelieved: Bool)
    ) async throws {
        var bench = try await EngineBench(ScriptedOrigin())
        bench.resource.paging = .linkHeader
        bench.resource.query = ["per_page": .string(asked.size)]
        let targets = ["/posts?per_page=\(asked.size)", "/posts?per_page=\(asked.size)&page=2"]
        bench.origin.set(targets[0], Self.page(0, 2, next: targets[1]), Self.unchanged)
        bench.origin.set(targets[1], Self.page(1, 1), asked.isBelieved ? Self.unchanged : Self.page(1, 1))
        _ = try await bench.sync()
        _ = bench.origin.takeRequests()
        #expect(try await bench.sync().result.counters.notModified == (asked.isBelieved ? 2 : 1))
        let conditions = bench.origin.takeRequests().map { $0.headerFields[.ifNoneMatch] != nil }
        #expect(conditions == [true, asked.isBelieved])
    }

    @Test func `a listing that continues in its middle does not know how full its first pages were`() async throws {
        let (bench, targets) = try await filled([2, 2, 1])
        bench.origin.set(targets[1], .status(.internalServerError), Self.unchanged)
        bench.origin.set(targets[2], Self.page(2, 1))
        #expect(try await bench.sync().result.outcome == .queued)
        bench.time.advance(by: .seconds(3600))
        _ = bench.origin.takeTargets()
        _ = try await bench.sync()
        let requests = bench.origin.takeRequests()
        #expect(requests.map(\.path) == [targets[1], targets[2]])
        #expect(requests.map { $0.headerFields[.ifNoneMatch] } == ["\"1\"", nil])
    }

    @Test func `the conclusion is trusted for a day`() async throws {
        let (bench, targets) = try await filled([2, 2, 1])
        bench.time.advance(by: .seconds(86_400))
        bench.origin.set(targets[2], Self.page(2, 1), Self.unchanged)
        for condition in [nil, "\"2\""] {
            #expect(try await bench.sync().result.counters.requests == 3)
            #expect(bench.origin.takeRequests().last?.headerFields[.ifNoneMatch] == condition)
        }
    }

    @Test(arguments: [("2", 2, 2), ("3", 2, 1), (nil, 0, 1)] as [(String?, Int, Int)])
    func `a single page has room where it has fewer records than requested, or none`(
        _ page: (size: String?, records: Int, requests: Int)
    ) async throws {
        let target = page.size.map { "/posts?per_page=\($0)" } ?? "/posts"
        var bench = try await EngineBench(ScriptedOrigin())
        bench.resource.paging = .linkHeader
        bench.resource.query = page.size.map { ["per_page": .string($0)] } ?? [:]
        // Without any `Link` a full page would be incomplete.
        let link = try #require(HTTPField.Name("Link"))
        let answer = ListingEndTests.answer(
            "ITEMS", 0..<page.records, [("ETag", "\"0\""), (link.rawName, "<\(target)>; rel=first")])
        bench.origin.set(target, answer, Self.unchanged, answer)
        for requests in [1, page.requests] { #expect(try await bench.sync().result.counters.requests == requests) }
    }

    @Test func `a single page on which auto found nothing is requested whole once a day`() async throws {
        let bench = try await bench(.automatic)
        bench.origin.set("/posts", Self.unchanged)
        bench.time.advance(by: .seconds(86_399))
        #expect(try await bench.sync().result.outcome == .notModified)
        #expect(bench.origin.takeTargets() == ["/posts"])
        bench.time.advance(by: .seconds(1))
        bench.origin.set("/posts", ScriptedOrigin.page("[1]", etag: "\"a\""), Self.unchanged)
        _ = try await bench.sync()
        #expect(bench.origin.takeRequests().map { $0.headerFields[.ifNoneMatch] } == [nil])
        #expect(try await bench.sync().result.outcome == .notModified)
        #expect(bench.origin.takeTargets() == ["/posts"])
    }

    @Test func `where its 304 would not be trusted it is requested whole at once, and the plan says so`() async throws {
        var bench = try await bench(.automatic)
        bench.resource.deletions = Deletions(byAbsence: true)
        for _ in 0..<3 {
            let report = try await bench.sync()
            #expect(report.result.counters.requests == 1 && report.result.counters.inserted == 0)
            #expect(bench.origin.takeRequests().map { $0.headerFields[.ifNoneMatch] } == [nil])
            #expect(try await SyncPlan.make(for: bench.resource, in: bench.store, now: bench.time.now).conditions == [])
        }
        // Where the field was there in any form, a 304 that has it is believed.
        bench.resource.paging = .linkHeader
        bench.origin.set("/posts", Self.related())
        _ = try await bench.sync()
        _ = bench.origin.takeTargets()
        let link = try #require(HTTPField.Name("Link"))
        bench.origin.set("/posts", .status(.notModified, headerFields: [link: "</posts>; rel=\"first\""]))
        #expect(try await bench.sync().result.outcome == .notModified)
        #expect(bench.origin.takeRequests().map { $0.headerFields[.ifNoneMatch] } == ["\"a\""])
    }
}
