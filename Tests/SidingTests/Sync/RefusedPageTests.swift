// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingCredentials
import SidingJSON
import SidingTesting
import Testing

@testable import Siding

/// What is said about a page that the origin refuses: its own sentence, without secrets, and bounded.
@Suite struct RefusedPageTests {
    private static let problem: HTTPFields = [.contentType: "application/problem+json"]
    private static let plain: HTTPFields = [.contentType: "text/plain; charset=utf-8"]

    static let answers: [(String, HTTPFields, String)] =
        [
            (#"{"message":"In order to keep the API fast"}"#, problem, "In order to keep the API fast"),
            (#"{"title":"T","detail":"too deep"}"#, problem, "too deep"),
            (#"{"error":{"message":"no more pages"}}"#, problem, "no more pages"),
            (#"{"error":"no more pages"}"#, problem, "no more pages"),
            (#"{"errors":[{"detail":"one"},{"detail":"two"}]}"#, problem, "one"),
            ("  Git Repository is empty.\n", plain, "Git Repository is empty."),
            ("two\nlines", plain, "two lines"), ("a\u{1B}[31mred", plain, "a\\u{1b}[31mred"),
        ]

    @Test(arguments: answers, [400, 403, 404, 409, 422, 500, 501])
    func `a refused page is reported with the sentence of its answer`(
        _ answer: (String, HTTPFields, String), _ status: Int
    ) async throws {
        let (body, fields, sentence) = answer
        let bench = try await EngineBench()
        bench.origin.set("/posts", .text(body, status: .init(code: status), headerFields: fields))
        let report = try await bench.sync()
        let message = try #require(report.result.error?.message)
        #expect(message.hasSuffix("(GET https://api.example.org/posts): \(sentence)"), "\(message)")
        #expect(try await bench.lastRun().resources.first?.error?.message == message)
        if let entry = try await bench.queue().first { #expect(entry.lastError?.message == message) }
    }

    @Test func `a sentence is bounded, and an answer of another kind has none`() async throws {
        let bench = try await EngineBench()
        let long = String(repeating: "x", count: 9_000)
        for (body, fields, length) in [
            (long, Self.plain, 201), ("<html>no</html>", [.contentType: "text/html"], nil), ("{}", Self.problem, nil),
        ] as [(String, HTTPFields, Int?)] {
            bench.origin.set("/posts", .text(body, status: .notFound, headerFields: fields))
            let message = try #require(try await bench.sync().result.error?.message)
            let sentence = message.rest(behind: "/posts)")
            #expect(sentence == (length.map { ": " + String(repeating: "x", count: $0 - 1) + "…" } ?? ""), "\(body)")
        }
    }

    @Test(
        arguments: [
            ("the token s3cret/key-1 is unknown", "the token … is unknown"),
            ("Bearer s3cret/key-1", "…"),
            // In another spelling it cannot be taken out.
            ("?token=s3cret%2Fkey-1", nil),
            (String(repeating: "x", count: 195) + "s3cret/key-1", String(repeating: "x", count: 195) + "…"),
        ] as [(String, String?)])
    func `a sentence does not repeat the credential`(said: String, told: String?) async throws {
        var bench = try await EngineBench()
        bench.resource.source.authorization = .bearer { "s3cret/key-1" }
        bench.origin.set("/posts", .text(said, status: .notFound, headerFields: Self.plain))
        let message = try #require(try await bench.sync().result.error?.message)
        #expect(message.rest(behind: "/posts)") == (told.map { ": \($0)" } ?? ""))
    }

    @Test func `a page with an error in place of its records is reported with the origin's message, too`()
        async throws
    {
        var bench = try await EngineBench()
        bench.resource.records = try JSONPath(parsing: "$.items[*]")
        bench.origin.set("/posts", .text(#"{"error":{"code":7,"message":"ITERATOR_NOT_AVAILABLE"}}"#))
        let report = try await bench.sync()
        #expect(report.result.outcome == .failed)
        #expect(report.result.error?.message.hasSuffix("the origin says: ITERATOR_NOT_AVAILABLE") == true)
    }

    @Test func `a record that cannot be verified is reported with the origin's message, too`() async throws {
        let bench = try await EngineBench.listed { $0.deletions.recordPath = "/posts/{id}" }
        for id in 1...5 {
            bench.origin.set("/posts/\(id)", .text(#"{"message":"ask later"}"#, status: .badRequest))
        }
        bench.list("[1]")
        let report = try await bench.sync()
        #expect(report.warnings.contains { $0.contains("/posts/2): ask later") }, "\(report.warnings)")
    }
}

extension String {
    /// What stands behind the first `text` in it; nil without it.
    fileprivate func rest(behind text: String) -> String? {
        firstRange(of: text).map { String(self[$0.upperBound...]) }
    }
}
