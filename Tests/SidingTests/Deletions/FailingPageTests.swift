import HTTPTypes
import SidingChain
import SidingTesting
import Testing

@testable import Siding

/// Every page of a listing failing in every way: nothing is deleted for it, and the next sync ends right.
@Suite struct FailingPageTests {
    enum Fault: String, CaseIterable, CustomTestStringConvertible {
        case connectionLost, timeout, error500, notFound, gone, truncated, garbage, noArray
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

    @Test(arguments: Fault.allCases, [false, true])
    func `no page that fails deletes anything, and the next sync ends right`(
        _ fault: Fault, _ isStable: Bool
    ) async throws {
        guard !(isStable && fault.isBelievable) else { return }
        for page in 1...3 {
            for engine in Engine.allCases {
                var bench = try await EngineBench(engine)
                bench.resource.deletions = Deletions(byAbsence: true)
                bench.resource.isStable = isStable
                _ = try await bench.sync()
                bench.origin.set(Self.target(page), fault.answer(to: page))
                // What cannot be told from a deletion is believed the second time.
                for _ in 0..<(fault.isBelievable ? 1 : 3) {
                    _ = try await bench.sync()
                    try await Self.expectAll(bench, "\(fault) at page \(page)")
                }
                Self.heal(bench)
                for _ in 0..<2 {
                    let report = try await bench.sync()
                    #expect(report.line.outcome == .saved, "\(fault) at page \(page)")
                    try await Self.expectAll(bench, "\(fault) at page \(page), healed")
                }
                #expect(try await bench.queue() == [])
                #expect(try await bench.store.missingKeys(of: "posts", limit: 9) == [])
            }
        }
    }

    private static func expectAll(_ bench: EngineBench, _ what: String) async throws {
        #expect(
            try await bench.store.count(of: "posts") == RecordCount(resource: "posts", count: 5, deleted: 0), "\(what)")
    }
}
