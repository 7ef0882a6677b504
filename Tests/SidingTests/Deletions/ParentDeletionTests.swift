// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingJSON
import SidingTesting
import Testing

@testable import Siding

/// What becomes of records that their parents' listings lack.
@Suite struct ParentDeletionTests {
    /// Two posts, and the resource of their comments.
    private func commented() async throws -> (bench: EngineBench, comments: AnyResource) {
        let bench = try await EngineBench(ScriptedOrigin())
        bench.origin.set("/posts", ScriptedOrigin.page("[1,2]"))
        var comments = bench.resource
        (comments.name, comments.path) = ("comments", "/posts/{post}/comments")
        comments.forEach = ForEach("posts", bind: ["post": JSONPath(member: "id")])
        comments.deletions = Deletions(byAbsence: true)
        return (bench, comments)
    }

    @Test func `a record that moved to a parent which is not complete yet is not deleted`() async throws {
        let (bench, comments) = try await commented()
        bench.origin.set("/posts/1/comments", ScriptedOrigin.page("[10,11]"))
        bench.origin.set("/posts/2/comments", ScriptedOrigin.page("[20,21]"))
        for _ in 0..<2 { _ = try await bench.engine().run([bench.resource, comments]) }
        bench.origin.set("/posts", ScriptedOrigin.page("[1,2,3]"))
        bench.origin.set("/posts/2/comments", ScriptedOrigin.page("[21]"))
        bench.origin.set("/posts/3/comments", ScriptedOrigin.page("[20]"))
        var notes: [String] = []
        for _ in 0..<4 {
            bench.time.advance(by: .seconds(60))
            notes += try await bench.engine().run([comments]).flatMap(\.result.notes)
        }
        let living = try await bench.store.records(of: "comments", after: nil, limit: 9, deleted: false).map(\.key)
        #expect(living == ["10", "11", "20", "21"])
        #expect(notes.contains { $0.contains("the parents were not completely listed") })
        // With its parents listed each time, what is gone goes.
        bench.origin.set("/posts/3/comments", ScriptedOrigin.page("[]"))
        for _ in 0..<3 {
            bench.time.advance(by: .seconds(60))
            _ = try await bench.engine().run([bench.resource, comments])
        }
        let left = try await bench.store.records(of: "comments", after: nil, limit: 9, deleted: false).map(\.key)
        #expect(left == ["10", "11", "21"])
    }

    @Test func `deletions that the guard blocks are not verified again in each sync of a pass over parents`()
        async throws
    {
        let (bench, listed) = try await commented()
        var comments = listed
        comments.deletions.recordPath = "/comments/{id}"
        let all = (100..<130).map(String.init).joined(separator: ",")
        bench.origin.set("/posts/1/comments", ScriptedOrigin.page("[\(all)]"))
        bench.origin.set("/posts/2/comments", ScriptedOrigin.page("[20]"))
        for _ in 0..<2 { _ = try await bench.engine().run([bench.resource, comments]) }
        bench.origin.set("/posts/1/comments", ScriptedOrigin.page("[]"))
        _ = bench.origin.takeTargets()
        for _ in 0..<3 {
            bench.time.advance(by: .seconds(60))
            let report = try #require(try await bench.engine().run([bench.resource, comments]).last)
            #expect(report.result.counters.deletionsBlocked == 30 && report.result.counters.deleted == 0)
        }
        #expect(!bench.origin.takeTargets().contains { $0.hasPrefix("/comments/") })
    }

    @Test func `a listing for a parent that was deleted at the origin is an empty one`() async throws {
        let (bench, listed) = try await commented()
        var comments = listed
        bench.origin.set("/posts/1/comments", ScriptedOrigin.page("[10]"))
        bench.origin.set("/posts/2/comments", ScriptedOrigin.page("[20]"))
        for _ in 0..<2 { _ = try await bench.engine().run([bench.resource, comments]) }
        bench.origin.set("/posts/2/comments", .status(.gone))
        for _ in 0..<2 {
            bench.time.advance(by: .seconds(60))
            let report = try #require(try await bench.engine().run([bench.resource, comments]).last)
            #expect(report.result.outcome == .saved && report.warnings == [])
        }
        let living = try await bench.store.records(of: "comments", after: nil, limit: 9, deleted: false).map(\.key)
        #expect(living == ["10"])
        // Without a word on deletions it is a failure of that parent.
        comments.deletions = Deletions()
        let plain = try #require(try await bench.engine().run([comments]).last)
        #expect(plain.result.outcome == .partial)
    }
}
