// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingTesting
import Testing

@testable import Siding

@Suite struct IncompleteListingTests {
    @Test func `the most pages of a listing close it as incomplete`() async throws {
        var bench = try await EngineBench()
        bench.resource.stop.maxPages = 2
        let report = try await bench.sync()
        #expect(report.result.outcome == .saved)
        #expect(report.result.notes.contains("incomplete: max_pages (2) reached"))
        #expect(try await bench.keys().count == 4)
        #expect(try await bench.state().completedAt == nil)
        #expect(try await bench.checkpoint() == nil)
        _ = bench.origin.takeTargets()
        _ = try await bench.sync()
        #expect(bench.origin.takeTargets() == ["/posts", "/posts?page=2"])
    }

    @Test func `a listing that was cut does not become complete by a 304`() async throws {
        let origin = ScriptedOrigin([
            "/posts": ScriptedOrigin.page("[1]", next: "/posts?page=2", etag: #""a""#),
            "/posts?page=2": ScriptedOrigin.page("[2]", next: "/posts?page=3", etag: #""b""#),
        ])
        var bench = try await EngineBench(origin)
        bench.resource.stop.maxPages = 2
        _ = try await bench.sync()
        origin.set("/posts", .status(.notModified))
        _ = origin.takeRequests()
        let report = try await bench.sync()
        #expect(origin.takeRequests().map { $0.headerFields[.ifNoneMatch] } == [#""a""#, nil])
        #expect(report.result.notes.contains("incomplete: max_pages (2) reached"))
        #expect(try await bench.state().completedAt == nil)
    }

    @Test func `fewer pages than before are the most, also where pages answer 304`() async throws {
        var bench = try await EngineBench()
        bench.origin.set("/posts", ScriptedOrigin.page("[1]", next: "/posts?page=2", etag: #""a""#))
        _ = try await bench.sync()
        _ = bench.origin.takeTargets()
        bench.origin.set("/posts", .status(.notModified))
        bench.resource.stop.maxPages = 1
        let report = try await bench.sync()
        #expect(bench.origin.takeTargets() == ["/posts"])
        #expect(report.result.notes.contains("incomplete: max_pages (1) reached"))
    }

    @Test(arguments: ["/posts", "/posts?page=2", "/posts?page=3"])
    func `a listing that loops is cut, and incomplete`(_ target: String) async throws {
        let bench = try await EngineBench()
        bench.origin.set("/posts?page=3", ScriptedOrigin.page("[5]", next: target))
        let report = try await bench.sync()
        #expect(report.result.notes.contains("incomplete: page 3 leads back to an earlier page: a loop"))
        #expect(try await bench.keys().count == 5)
        #expect(try await bench.state().completedAt == nil)
        #expect(bench.origin.takeTargets().count == 3)
    }

    @Test func `a limit ends after its number of records`() async throws {
        let bench = try await EngineBench()
        let report = try await bench.sync(SyncOptions(limit: 3))
        #expect(report.result.outcome == .saved)
        #expect(report.result.notes.contains("incomplete: the limit of 3 records is reached"))
        #expect(try await bench.keys() == ["1", "2", "3"])
        #expect(bench.origin.takeTargets() == ["/posts", "/posts?page=2"])
    }

    @Test func `a limit leaves no listing behind`() async throws {
        let bench = try await EngineBench()
        for limit in [1, 99] {
            _ = try await bench.sync(SyncOptions(limit: limit))
            #expect(try await bench.checkpoint() == nil)
            #expect(try await bench.state().completedAt == nil)
        }
    }

    @Test func `a limit leaves checkpoint, validators and the retained page alone`() async throws {
        let origin = ScriptedOrigin([
            "/posts": ScriptedOrigin.page("[1]", next: "/posts?page=2", etag: #""a""#),
            "/posts?page=2": .status(.internalServerError),
        ])
        let bench = try await EngineBench(origin)
        let entry = try await bench.entry(bench.sync().result.entry)
        let state = try await bench.state()
        let first = PageRequest(url: try HTTPURL("https://api.example.org/posts"), number: 1, offset: 0)
        let page = try await bench.store.storedPage(first, of: "posts")
        #expect(page?.etag == #""a""#)
        _ = origin.takeRequests()
        let report = try await bench.sync(SyncOptions(limit: 1))
        #expect(report.result.outcome == .saved)
        #expect(origin.takeRequests().map { $0.headerFields[.ifNoneMatch] } == [nil])
        #expect(try await bench.queue() == [entry])
        #expect(try await bench.state() == state)
        #expect(try await bench.store.storedPage(first, of: "posts") == page)
    }

    @Test func `a limit that fails retains nothing`() async throws {
        let bench = try await EngineBench()
        bench.origin.set("/posts", .status(.internalServerError))
        let report = try await bench.sync(SyncOptions(limit: 1))
        #expect(report.result.outcome == .failed)
        #expect(try await bench.queue() == [])
    }
}
