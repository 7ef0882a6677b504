// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingJSON
import SidingTesting
import Testing

@testable import Siding

/// What a 304 may vouch for: what was stored with the validator that it answers, and nothing that was written since.
@Suite struct ValidatorTests {
    private static func page(_ state: String, _ fields: HTTPFields = [.eTag: "\"a\""]) -> ScriptedAnswer {
        .text(#"[{"id":1,"state":"\#(state)"}]"#, headerFields: fields)
    }

    @Test func `a record changed by an ad-hoc listing is requested whole, though the origin has reverted it`()
        async throws
    {
        let bench = try await EngineBench(ScriptedOrigin(["/posts": Self.page("open")]))
        _ = try await bench.sync()
        bench.origin.set("/posts", Self.page("closed", [.eTag: "\"b\""]))
        _ = try await bench.sync(SyncOptions(limit: 1))
        bench.origin.set("/posts", Self.page("open"))
        _ = bench.origin.takeRequests()
        let report = try await bench.sync()
        #expect(bench.origin.takeRequests().map { $0.headerFields[.ifNoneMatch] } == [nil])
        #expect(report.result.counters.updated == 1)
        let record = try await bench.store.record(of: "posts", key: "1")
        #expect(record.map { String(decoding: $0.body, as: UTF8.self) } == #"{"id":1,"state":"open"}"#)
    }

    @Test func `an ad-hoc listing that changes nothing leaves the validators`() async throws {
        let bench = try await EngineBench(ScriptedOrigin(["/posts": Self.page("open")]))
        _ = try await bench.sync()
        _ = try await bench.sync(SyncOptions(limit: 1))
        _ = bench.origin.takeRequests()
        _ = try await bench.sync()
        #expect(bench.origin.takeRequests().map { $0.headerFields[.ifNoneMatch] } == ["\"a\""])
    }

    @Test func `a page whose 304 has another entity tag than was sent is requested whole`() async throws {
        let bench = try await EngineBench(ScriptedOrigin(["/posts": Self.page("open")]))
        _ = try await bench.sync()
        bench.origin.set(
            "/posts", .status(.notModified, headerFields: [.eTag: "\"b\""]), Self.page("closed", [.eTag: "\"b\""]))
        _ = bench.origin.takeRequests()
        let report = try await bench.sync()
        #expect(bench.origin.takeRequests().map { $0.headerFields[.ifNoneMatch] } == ["\"a\"", nil])
        #expect(report.result.counters.updated == 1)
    }

    @Test(arguments: ["W/\"a\"", "\"a-gzip\"", "\"a\""])
    func `a 304 with the same entity tag in another form confirms the page`(_ tag: String) async throws {
        let bench = try await EngineBench(ScriptedOrigin(["/posts": Self.page("open")]))
        _ = try await bench.sync()
        bench.origin.set("/posts", .status(.notModified, headerFields: [.eTag: tag]))
        #expect(try await bench.sync().result.outcome == .notModified)
    }

    @Test func `a page that shows a record as it was before another page is requested whole`() async throws {
        func records(_ bodies: String, next: String? = nil, _ etag: String) -> ScriptedAnswer {
            var fields: HTTPFields = [.contentType: "application/json", .eTag: etag]
            fields[HTTPField.Name("Link")!] = next.map { "<\($0)>; rel=\"next\"" }
            return .text("[\(bodies)]", headerFields: fields)
        }
        let first = records(#"{"id":1},{"id":2,"online":true}"#, next: "/posts?page=2", "\"a\"")
        let bench = try await EngineBench(
            ScriptedOrigin(["/posts": first, "/posts?page=2": records(#"{"id":3}"#, "\"b\"")]))
        _ = try await bench.sync()
        // Record 2 goes offline between the two requests, and moves behind the others.
        bench.origin.set("/posts", .status(.notModified))
        bench.origin.set("/posts?page=2", records(#"{"id":3},{"id":2,"online":false}"#, "\"c\""))
        _ = try await bench.sync()
        bench.origin.set("/posts", first)
        bench.origin.set("/posts?page=2", records(#"{"id":3}"#, "\"b\""))
        _ = bench.origin.takeRequests()
        _ = try await bench.sync()
        #expect(bench.origin.takeRequests().first?.headerFields[.ifNoneMatch] == nil)
        let record = try await bench.store.record(of: "posts", key: "2")
        #expect(record.map { String(decoding: $0.body, as: UTF8.self) } == #"{"id":2,"online":true}"#)
    }

    @Test(arguments: [true, false])
    func `only the page of a record that was written otherwise is requested whole`(_ countsAbsent: Bool) async throws {
        let origin = ScriptedOrigin([
            "/posts": ScriptedOrigin.page("[1]", next: "/posts?page=2", etag: "\"a\""),
            "/posts?page=2": ScriptedOrigin.page("[2]", etag: "\"b\""),
        ])
        var bench = try await EngineBench(origin)
        bench.resource.deletions = Deletions(byAbsence: countsAbsent)
        _ = try await bench.sync()
        origin.set("/posts", .text(#"[{"id":1,"new":true}]"#))
        _ = try await bench.sync(SyncOptions(limit: 1))
        origin.set("/posts", ScriptedOrigin.page("[1]", next: "/posts?page=2", etag: "\"a\""))
        _ = origin.takeRequests()
        _ = try await bench.sync()
        #expect(origin.takeRequests().map { $0.headerFields[.ifNoneMatch] } == [nil, "\"b\""])
    }

    @Test
    func `the answer to an own write does not count as a page: the page of the record is requested whole`()
        async throws
    {
        let bench = try await EditBench()
        try await bench.pull(#"[{"id":"a","state":"open"}]"#)
        try await bench.sqlite.execute("UPDATE siding_pages SET etag = '\"v1\"'")
        let created = try await bench.edit(.create, nil, #"{"state":"new"}"#)
        try await bench.deliver(created, #"{"id":"b","state":"new"}"#, status: 201)
        #expect(try await bench.sqlite.rows("SELECT etag FROM siding_pages") == [["\"v1\""]])
        let entry = try await bench.edit(.merge, "a", #"{"state":"closed"}"#)
        #expect(try await bench.sqlite.rows("SELECT etag FROM siding_pages") == [["\"v1\""]])
        try await bench.deliver(entry, #"{"id":"a","state":"closed"}"#)
        #expect(try await bench.sqlite.rows("SELECT etag FROM siding_pages") == [[nil]])
    }

    @Test(
        arguments: [
            ("Tue, 14 Nov 2023 22:13:20 GMT", "Tue, 14 Nov 2023 22:13:20 GMT", false),
            ("Tue, 14 Nov 2023 22:13:20 GMT", "Tue, 14 Nov 2023 22:13:21 GMT", true),
            ("Tue, 14 Nov 2023 22:13:20 GMT", nil, false), ("Tue, 14 Nov 2023 22:13:19 GMT", nil, true),
        ] as [(String, String?, Bool)])
    func `a date does not serve as a validator within its own second`(
        _ dates: (changed: String, answered: String?, isKept: Bool)
    ) async throws {
        var fields: HTTPFields = [.lastModified: dates.changed]
        fields[.date] = dates.answered
        let bench = try await EngineBench(ScriptedOrigin(["/posts": Self.page("open", fields)]))
        _ = try await bench.sync()
        _ = bench.origin.takeRequests()
        _ = try await bench.sync()
        let condition = bench.origin.takeRequests().map { $0.headerFields[.ifModifiedSince] }
        #expect(condition == [dates.isKept ? dates.changed : nil])
    }

    @Test(
        arguments: [
            (["\"a\""], "\"a\""), (["a1b2"], "a1b2"), (["\"v1\"", "\"const\""], nil), (["\"v1\", \"const\""], nil),
            ([""], nil),
        ] as [([String], String?)])
    func `an answer with several ETags, or an empty one, has none`(_ tags: [String], _ condition: String?) async throws
    {
        var fields: HTTPFields = [:]
        fields[values: .eTag] = tags
        let bench = try await EngineBench(ScriptedOrigin(["/posts": Self.page("open", fields)]))
        _ = try await bench.sync()
        _ = bench.origin.takeRequests()
        bench.origin.set("/posts", condition == nil ? Self.page("closed") : .status(.notModified))
        _ = try await bench.sync()
        #expect(bench.origin.takeRequests().map { $0.headerFields[.ifNoneMatch] } == [condition])
    }

    @Test func `several ETags that an earlier build stored are not sent as a condition`() async throws {
        let bench = try await EngineBench()
        let stored = StoredPage(etag: "\"v1\", \"const\"", recordCount: 1)
        #expect(bench.resource.condition(stored) == nil)
        let dated = StoredPage(etag: "\"v1\", \"const\"", lastModified: "Sun, 06 Nov 1994 08:49:37 GMT", recordCount: 1)
        #expect(bench.resource.condition(dated)?.etag == nil && bench.resource.condition(dated)?.lastModified != nil)
    }

    /// A bench whose page has a validator and is stored.
    private func stored(_ fields: HTTPFields = [.eTag: "\"a\""]) async throws -> EngineBench {
        let bench = try await EngineBench(ScriptedOrigin(["/posts": Self.page("open", fields)]))
        _ = try await bench.sync()
        _ = bench.origin.takeRequests()
        return bench
    }

    @Test(arguments: [[.eTag: "\"a\""], [.lastModified: "Sun, 06 Nov 1994 08:49:37 GMT"]] as [HTTPFields])
    func `a page whose condition is answered 400 is requested once more, without it`(
        _ fields: HTTPFields
    ) async throws {
        let bench = try await stored(fields)
        bench.origin.set("/posts", .text("<p>Bad ChainRequest</p>", status: .badRequest), Self.page("closed", fields))
        let report = try await bench.sync()
        #expect(report.result.outcome == .saved && report.result.counters.requests == 2)
        let names: [HTTPField.Name] = [.ifNoneMatch, .ifModifiedSince]
        let conditions = bench.origin.takeRequests().map { request in names.count { request.headerFields[$0] != nil } }
        #expect(conditions == [1, 0])
        let record = try await bench.store.record(of: "posts", key: "1")
        #expect(record.map { String(decoding: $0.body, as: UTF8.self) } == #"{"id":1,"state":"closed"}"#)
    }

    @Test(arguments: [(400, 2), (403, 1), (404, 1), (412, 2), (422, 2), (501, 2), (500, 1)])
    func `another refusal of a condition is the answer, and so is a second 400`(
        _ status: Int, _ requests: Int
    ) async throws {
        let bench = try await stored()
        bench.origin.set("/posts", .status(.init(code: status)))
        let report = try await bench.sync()
        #expect(report.result.error?.status == status)
        #expect(bench.origin.takeTargets().count == requests)
        #expect(try await bench.keys() == ["1"])
    }

    @Test(arguments: [412, 422, 501, 400])
    func `the repetition without the condition may not be answered by a 304`(_ status: Int) async throws {
        let bench = try await stored()
        bench.origin.set("/posts", .status(.init(code: status)), .status(.notModified))
        #expect(try await bench.sync().result.error?.name == "protocolViolation")
        #expect(bench.origin.takeTargets().count == 2)
    }

    @Test func `a 400 that speaks of a rate is not repeated at once`() async throws {
        let bench = try await stored()
        bench.origin.set("/posts", .text(#"{"message":"Rate exceeded"}"#, status: .badRequest))
        _ = try await bench.sync()
        #expect(bench.origin.takeTargets().count == 1)
    }

    @Test func `a 400 without a condition, or with a rule of the config, is the answer`() async throws {
        var bench = try await stored()
        bench.origin.set("/posts", .status(.badRequest))
        _ = try await bench.sync(SyncOptions(isFull: true))
        #expect(bench.origin.takeTargets().count == 1)
        bench.resource.source.failureRules = [try FailureRule(when: .answer(.init(statuses: [400])), do: .queue)]
        #expect(try await bench.sync().result.outcome == .queued)
        #expect(bench.origin.takeTargets().count == 1)
    }

    @Test func `a rule that ends listings is a part of the definition, and one that is not there is none`() throws {
        let source = Source(name: "blog", baseURL: try HTTPURL("https://api.example.org"))
        var resource = AnyResource("posts", from: source, at: "/posts", key: "id")
        let before = ResourceDefinition(resource)
        #expect(before.aspects[.stop] == nil)
        resource.stop.maxPages = 3
        #expect(ResourceDefinition(resource) == before)
        resource.stop.hasMore = .init(member: "more")
        #expect(ResourceDefinition(resource).differences(from: before) == [.stop])
    }
}
