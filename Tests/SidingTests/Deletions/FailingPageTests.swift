// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingJSON
import SidingTesting
import TestSupport
import Testing

@testable import Siding

/// Every page of a listing failing in every way: nothing is deleted for it, and the next sync ends right.
@Suite struct FailingPageTests {
    enum Fault: String, CaseIterable, CustomTestStringConvertible {
        case connectionLost, timeout, error500, notFound, gone, truncated, garbage, noArray
        case unauthorized, forbidden, tooManyRequests, unavailable, partialContent
        /// Successes that have no list of records.
        case noContent, resetContent, null
        /// 304 to a request without a condition.
        case unaskedNotModified
        case loop, foreignNext
        // Honest answers as far as anybody can tell: a stable paging has to believe them.
        case emptyPage, noNext

        var testDescription: String { rawValue }

        var isBelievable: Bool { self == .emptyPage || self == .noNext }

        func answer(to page: Int) -> ScriptedAnswer {
            switch self {
            case .connectionLost: .failure(Failure(.connectionLost, phase: .maybeSent))
            case .timeout: .failure(Failure(.timeout(.response), phase: .maybeSent))
            case .error500: .status(.internalServerError)
            case .notFound: .status(.notFound)
            case .gone: .status(.gone)
            case .truncated:
                .reply(
                    HTTPResponse(status: .ok, headerFields: [.contentType: "application/json"]),
                    chunks: [Array(#"[{"id":1}"#.utf8)], ending: Failure(.truncated, phase: .answered))
            case .garbage: .text("<html>We are down</html>", headerFields: [.contentType: "text/html"])
            case .noArray: .text(#"{"error":"later"}"#)
            case .unauthorized: .status(.unauthorized)
            case .forbidden: .status(.forbidden)
            case .tooManyRequests: .status(.tooManyRequests)
            case .unavailable: .status(.serviceUnavailable)
            case .partialContent:
                .reply(
                    HTTPResponse(status: .partialContent, headerFields: [.contentType: "application/json"]),
                    chunks: [Array("[]".utf8)])
            case .noContent: .status(.noContent)
            case .resetContent: .status(.resetContent)
            case .null: .text("null", headerFields: [.contentType: "application/json"])
            case .unaskedNotModified: .status(.notModified)
            case .loop: ScriptedOrigin.page("[1]", next: "/posts")
            case .foreignNext: ScriptedOrigin.page("[1]", next: "https://elsewhere.example.org/posts")
            case .emptyPage: ScriptedOrigin.page("[]")
            case .noNext: ScriptedOrigin.page(page == 1 ? "[1,2]" : "[3,4]")
            }
        }
    }

    private static func target(_ page: Int) -> String { page == 1 ? "/posts" : "/posts?page=\(page)" }

    private static func heal(_ bench: EngineBench) {
        bench.origin.set("/posts", ScriptedOrigin.page("[1,2]", next: "/posts?page=2"))
        bench.origin.set("/posts?page=2", ScriptedOrigin.page("[3,4]", next: "/posts?page=3"))
        bench.origin.set("/posts?page=3", ScriptedOrigin.page("[5]"))
    }

    @Test(arguments: Proof.sample(Fault.allCases, every: 2), [false, true])
    func `no page that fails deletes anything, and the next sync ends right`(
        _ fault: Fault, _ isStable: Bool
    ) async throws {
        guard !(isStable && fault.isBelievable) else { return }
        for page in 1...3 {
            var bench = try await EngineBench()
            bench.resource.deletions = Deletions(byAbsence: true)
            bench.resource.isStable = isStable
            bench.resource.records = .root
            _ = try await bench.sync()
            bench.origin.set(Self.target(page), fault.answer(to: page))
            // What cannot be told from a deletion is believed the second time.
            for _ in 0..<(fault.isBelievable ? 1 : 3) {
                try await Self.waitAndRelease(bench)
                _ = try await bench.sync()
                try await Self.expectAll(bench, "\(fault) at page \(page)")
            }
            Self.heal(bench)
            try await Self.waitAndRelease(bench)
            for _ in 0..<2 {
                let report = try await bench.sync()
                #expect(report.result.outcome == .saved, "\(fault) at page \(page)")
                try await Self.expectAll(bench, "\(fault) at page \(page), healed")
            }
            #expect(try await bench.queue() == [])
            #expect(try await bench.store.missingKeys(of: "posts", limit: 9) == [])
        }
    }

    /// Gates open, and what waited for a person goes on.
    private static func waitAndRelease(_ bench: EngineBench) async throws {
        bench.time.advance(by: .seconds(4_000))
        _ = try await bench.store.perform(.release, on: QueueSelection(states: [.parked]))
    }

    @Test(arguments: Proof.sample(Fault.allCases, every: 2), [1, 2])
    func `no page of a parent's listing that fails deletes anything, and the next sync ends right`(
        _ fault: Fault, _ page: Int
    ) async throws {
        // What it leads to is an honest page here.
        guard fault != .loop else { return }
        // 404 and 410 say that there is nothing about the parent any more.
        let isBelievable = fault.isBelievable || (page == 1 && (fault == .notFound || fault == .gone))
        let bench = try await EngineBench(ScriptedOrigin(["/posts": ScriptedOrigin.page("[1,2]")]))
        var tasks = bench.resource
        (tasks.name, tasks.path, tasks.records) = ("tasks", "/posts/{post}/tasks", .root)
        tasks.forEach = ForEach("posts", bind: ["post": JSONPath(member: "id")], concurrency: 1)
        tasks.deletions = Deletions(byAbsence: true, most: 1)
        Self.healParents(bench)
        _ = try await bench.engine().run([bench.resource, tasks])
        bench.origin.set(page == 1 ? "/posts/1/tasks" : "/posts/1/tasks?page=2", fault.answer(to: 1))
        for _ in 0..<(isBelievable ? 1 : 3) {
            try await Self.waitAndRelease(bench)
            _ = try await bench.engine().run([bench.resource, tasks])
            #expect(try await bench.store.count(of: "tasks").count == 4, "\(fault) at page \(page)")
        }
        Self.healParents(bench)
        try await Self.waitAndRelease(bench)
        // A pass that was left half-way ends first.
        for _ in 0..<3 { _ = try await bench.engine().run([bench.resource, tasks]) }
        let report = try await bench.engine().run([bench.resource, tasks]).last
        #expect(report?.result.outcome == .saved, "\(fault) at page \(page)")
        #expect(try await bench.store.count(of: "tasks").count == 4, "\(fault) at page \(page), healed")
        #expect(try await bench.queue() == [])
        #expect(try await bench.store.missingKeys(of: "tasks", limit: 9) == [])
    }

    private static func healParents(_ bench: EngineBench) {
        bench.origin.set("/posts/1/tasks", ScriptedOrigin.page("[1,2]", next: "/posts/1/tasks?page=2"))
        bench.origin.set("/posts/1/tasks?page=2", ScriptedOrigin.page("[3]"))
        bench.origin.set("/posts/2/tasks", ScriptedOrigin.page("[4]"))
    }

    private static func expectAll(_ bench: EngineBench, _ what: String) async throws {
        #expect(
            try await bench.store.count(of: "posts") == RecordCount(resource: "posts", count: 5, deleted: 0), "\(what)")
    }
}
