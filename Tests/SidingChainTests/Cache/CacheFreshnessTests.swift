// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingNodes
import SidingTesting
import Testing

@Suite struct CacheFreshnessTests {
    private static let date = "Tue, 14 Nov 2023 22:13:20 GMT"
    private static let storedAt = 1_700_000_000.0

    private func head(_ fields: HTTPFields, age: Duration = .zero) -> CachedHead {
        CachedHead(
            key: CacheKey(account: "", method: "GET", url: "http://a/"), status: 200, headerFields: fields,
            url: "http://a/", storedAt: Self.storedAt, initialAge: age)
    }

    @Test(
        arguments: [
            ([:], nil),
            ([.cacheControl: "max-age=60"], 60),
            ([.cacheControl: "private, Max-Age=\"60\", x"], 60),
            ([.cacheControl: "max-age=60, max-age=5"], 60),
            ([.cacheControl: "s-maxage=60"], nil),
            ([.cacheControl: "private=\"a, max-age=9\""], nil),
            ([.cacheControl: "max-age=-1"], 0),
            ([.cacheControl: "max-age"], 0),
            ([.cacheControl: "max-age=99999999999999999999999"], 2_147_483_648),
            ([.expires: "Tue, 14 Nov 2023 22:14:20 GMT", .date: date], 60),
            ([.expires: "Tue, 14 Nov 2023 22:14:20 GMT"], 60),
            ([.expires: "Tue, 14 Nov 2023 22:12:20 GMT", .date: date], 0),
            ([.expires: "0"], 0),
            ([.expires: "Tue, 14 Nov 2023 22:14:20 GMT", .cacheControl: "max-age=5"], 5),
            ([.lastModified: "Tue, 14 Nov 2000 22:14:20 GMT"], nil),
        ] as [(HTTPFields, Int?)])
    func `an answer is fresh for the time that its header fields give`(_ fields: HTTPFields, _ seconds: Int?) {
        #expect(head(fields).freshnessLifetime == seconds.map { .seconds($0) })
    }

    @Test func `an answer is fresh while it is younger than its lifetime`() {
        let head = head([.cacheControl: "max-age=60"], age: .seconds(20))
        #expect(head.age(now: Self.storedAt + 10) == .seconds(30))
        #expect(head.isFresh(now: Self.storedAt + 39))
        #expect(!head.isFresh(now: Self.storedAt + 40))
    }

    @Test func `an answer is never fresh with no-cache, or without a declared age`() {
        #expect(!head([.cacheControl: "max-age=60, no-cache"]).isFresh(now: Self.storedAt))
        #expect(!head([:]).isFresh(now: Self.storedAt))
    }

    @Test func `a clock that was set back makes an answer neither younger nor fresh`() {
        let head = head([.cacheControl: "max-age=60"], age: .seconds(20))
        #expect(head.age(now: Self.storedAt - 1_000) == .seconds(20))
        #expect(!head.isFresh(now: Self.storedAt - 1))
    }

    @Test(
        arguments: [
            ([:], 2), ([.age: "10"], 12), ([.age: "x"], 2), ([.date: "Tue, 14 Nov 2023 22:12:20 GMT"], 60),
            ([.date: "Tue, 14 Nov 2023 22:12:20 GMT", .age: "100"], 102),
            ([.date: "Tue, 14 Nov 2023 23:13:20 GMT"], 2),
        ] as [(HTTPFields, Int)])
    func `the age of a new answer is the Age field or the age by its Date, the greater one`(
        _ fields: HTTPFields, _ seconds: Int
    ) async throws {
        let time = WallTime(Self.storedAt - 2)
        let bench = CacheBench(time: time) { _ in
            time.advance(by: 2)
            return .text("[]", headerFields: fields)
        }
        try await bench.ask()
        time.advance(by: 5)
        let answer = try await bench.cached.process(CacheBench.draft(), .test)
        #expect(answer.source == .cache(age: .seconds(seconds + 5), storedAt: Self.storedAt, isFresh: false))
        #expect(answer.response.headerFields[.age] == String(seconds + 5))
    }

    @Test func `a request with no-cache finds nothing fresh`() async throws {
        let bench = CacheBench([.text("[]", headerFields: [.cacheControl: "max-age=60"])])
        try await bench.ask()
        #expect(try await bench.cached.process(CacheBench.draft(), .test).source.isFresh)
        let draft = try CacheBench.draft("/posts", [.cacheControl: "no-cache"])
        #expect(try await !bench.cached.process(draft, .test).source.isFresh)
    }
}
