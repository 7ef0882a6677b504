// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingTesting
import Testing

@testable import Siding

/// What a sync and the state of a resource say about records that the origin does not list any more.
@Suite struct MissingReportTests {
    private static func page(_ ids: ClosedRange<Int>?, etag: String? = nil) -> ScriptedAnswer {
        ScriptedOrigin.page("[\((ids.map(Array.init) ?? []).map(String.init).joined(separator: ","))]", etag: etag)
    }

    private static func bench(_ deletions: Deletions, isStable: Bool = false) async throws -> EngineBench {
        var bench = try await EngineBench(ScriptedOrigin(["/posts": page(1...40)]))
        bench.resource.deletions = deletions
        bench.resource.isStable = isStable
        #expect(try await bench.sync().result.outcome == .saved)
        bench.time.advance(by: .seconds(60))
        return bench
    }

    @Test func `a mirror that deletes nothing reports a missing record, until it is listed again`() async throws {
        let bench = try await Self.bench(Deletions())
        #expect(try await bench.state().unlisted == 0)
        for (listed, unlisted, note) in [
            (1...39, 1, "1 stored record was not listed (no 'deletes:')"),
            (1...38, 2, "2 stored records were not listed (no 'deletes:')"), (1...40, 0, nil),
        ] as [(ClosedRange<Int>, Int, String?)] {
            bench.origin.set("/posts", Self.page(listed))
            let report = try await bench.sync()
            #expect(report.result.notes.contains { $0.contains("not listed") } == (note != nil))
            if let note { #expect(report.result.notes.contains(note), "\(report.result.notes)") }
            #expect(report.warnings == [] && report.result.counters.deleted == 0)
            #expect(try await bench.state().unlisted == unlisted)
            #expect(try await bench.keys().count == 40)
        }
    }

    @Test func `missing records of an unchanged listing stay reported, and deletes ends the report`() async throws {
        var bench = try await Self.bench(Deletions())
        bench.origin.set("/posts", Self.page(1...39, etag: "\"a\""))
        _ = try await bench.sync()
        bench.origin.set("/posts", .status(.notModified))
        #expect(try await bench.sync().result.outcome == .notModified)
        #expect(try await bench.state().unlisted == 1)
        bench.resource.deletions = Deletions(byAbsence: true)
        _ = try await bench.sync()
        #expect(try await bench.state().unlisted == 0)
    }

    @Test func `an incomplete listing has no missing records`() async throws {
        let bench = try await Self.bench(Deletions())
        bench.origin.set("/posts", .text(#"{"items":[{"id":1}],"total":40}"#))
        #expect(try await bench.sync().result.outcome == .partial)
        #expect(try await bench.state().unlisted == 0)
    }

    @Test func `records that wait for further listings are reported`() async throws {
        let bench = try await Self.bench(Deletions(byAbsence: true))
        bench.origin.set("/posts", Self.page(1...38))
        let waiting = try await bench.sync()
        #expect(waiting.result.counters.deleted == 0)
        #expect(
            waiting.result.notes.contains(
                "2 records are missing at the origin: deleted once further complete listings lack them, too"),
            "\(waiting.result.notes)")
        #expect(waiting.warnings == [])
        let deleting = try await bench.sync()
        #expect(deleting.result.counters.deleted == 2)
        #expect(!deleting.result.notes.contains { $0.contains("are missing at the origin") })
    }

    @Test func `the guard counts the missing and the due records`() async throws {
        let bench = try await Self.bench(Deletions(byAbsence: true))
        bench.origin.set("/posts", Self.page(2...40))
        #expect(try await bench.sync().result.counters.deleted == 0)
        bench.origin.set("/posts", Self.page(nil))
        let report = try await bench.sync()
        #expect(report.result.counters.deletionsBlocked == 1)
        let warning = try #require(report.warnings.first { $0.contains("missing at the origin") })
        #expect(
            warning.hasPrefix(
                "40 of 40 records are missing at the origin (1 was due for deletion). That is more than deletes.max (10 %), "
                    + "so nothing was deleted. Missing: 1, 10, 11, 12, 13, …")
                || warning.hasPrefix(
                    "40 of 40 records are missing at the origin (1 was due for deletion). That is more than deletes.max "
                        + "(10 %), so nothing was deleted. Missing: 1, 2, 3, 4, 5, …"),
            "\(warning)")
        #expect(warning.hasSuffix("To delete them: siding sync posts --accept-deletes"))
    }

    @Test(arguments: [false, true], [false, true])
    func `a listing that is suddenly empty is reported at once`(deletes: Bool, isStable: Bool) async throws {
        let bench = try await Self.bench(Deletions(byAbsence: deletes), isStable: isStable)
        bench.origin.set("/posts", Self.page(nil))
        let report = try await bench.sync()
        let isBlocked = report.result.counters.deletionsBlocked > 0
        #expect(isBlocked == (deletes && isStable))
        let warning = "the origin's list is empty, but 40 records are stored: nothing was deleted."
        #expect(report.warnings.contains { $0.hasPrefix(warning) } == !isBlocked, "\(report.warnings)")
        #expect(report.warnings.count == 1)
        // Once it is known, a mirror that keeps records does not repeat it.
        let second = try await bench.sync()
        #expect(second.warnings.count == (deletes ? 1 : 0), "\(second.warnings)")
        #expect(try await bench.keys().count == 40)
    }

    @Test func `a few missing records are not reported`() async throws {
        let bench = try await EngineBench(ScriptedOrigin(["/posts": Self.page(1...10)]))
        _ = try await bench.sync()
        bench.time.advance(by: .seconds(60))
        bench.origin.set("/posts", Self.page(nil))
        #expect(try await bench.sync().warnings == [])
    }
}
