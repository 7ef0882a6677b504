// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingJSON
import SidingPaging
import SidingTesting
import Testing

@testable import Siding

/// `order: desc` ends a listing early only as long as the records do come newest first.
@Suite struct DescendingOrderTests {
    /// A record, and its value.
    private typealias Shown = (id: Int, at: Int?)

    private static let told =
        "records do not come in the order of $.at, as 'order: desc' says: the listing continues to its end"

    private func bench() async throws -> EngineBench {
        var bench = try await EngineBench(ScriptedOrigin())
        bench.resource.cursor = IncrementalCursor(
            at: .record(JSONPath(member: "at")), type: .integer, order: .descending)
        return bench
    }

    private static func target(_ number: Int) -> String { number == 1 ? "/posts" : "/posts?page=\(number)" }

    private static func targets(_ numbers: Int...) -> [String] { numbers.map(target) }

    /// Lists these pages from now on; those that did not change answer 304, and the next time whole.
    private func list(_ bench: EngineBench, _ pages: [[Shown]], unchanged: Set<Int> = []) {
        for (index, records) in pages.enumerated() {
            let bodies = records.map { #"{"id":\#($0.id),"at":\#($0.at.map(String.init) ?? "null")}"# }
            var fields: HTTPFields = [.contentType: "application/json", .eTag: "\"\(index)\""]
            if index + 1 < pages.count {
                fields[HTTPField.Name("Link")!] = "<\(Self.target(index + 2))>; rel=\"next\""
            }
            let page = ScriptedAnswer.text("[\(bodies.joined(separator: ","))]", headerFields: fields)
            if unchanged.contains(index + 1) {
                bench.origin.set(Self.target(index + 1), .status(.notModified), page)
            } else {
                bench.origin.set(Self.target(index + 1), page)
            }
        }
    }

    /// Records whose id is their value.
    private func list(_ bench: EngineBench, _ pages: [[Int]], unchanged: Set<Int> = []) {
        list(bench, pages.map { $0.map { (id: $0, at: $0) } }, unchanged: unchanged)
    }

    /// What the next sync asks for, and what it says.
    private func asked(_ bench: EngineBench) async throws -> (targets: [String], warnings: [String]) {
        _ = bench.origin.takeTargets()
        let report = try await bench.sync()
        #expect(report.result.error == nil)
        return (bench.origin.takeTargets(), report.warnings)
    }

    @Test func `a wrong order is reported although a page breaks the contract`() async throws {
        var bench = try await bench()
        bench.resource.schema.contract = RecordContract(missingKey: .fail)
        list(bench, [[1, 2], [3, 4]])
        bench.origin.set(
            Self.target(2), .text(#"[{"at":3}]"#, headerFields: [.contentType: "application/json"]))
        let report = try await bench.sync()
        #expect(report.result.outcome == .failed || report.result.outcome == .partial)
        #expect(report.warnings.contains(Self.told), "\(report.warnings)")
    }

    @Test func `an origin that lists the oldest first is listed to its end, and that is reported`() async throws {
        let bench = try await bench()
        list(bench, [[1, 2], [3, 4]])
        #expect(try await asked(bench).warnings == [Self.told])
        list(bench, [[1, 2], [3, 4], [5, 6]])
        var second = try await asked(bench)
        #expect(second.targets == Self.targets(1, 2, 3) && second.warnings == [Self.told])
        #expect(try await bench.keys() == ["1", "2", "3", "4", "5", "6"])
        // Nor does a 304 end it; the last page is asked for whole, as the 304s before it name no next one.
        list(bench, [[1, 2], [3, 4], [5, 6], [7]], unchanged: [1, 2])
        second = try await asked(bench)
        #expect(second.targets == Self.targets(1, 2, 3, 4) && second.warnings == [Self.told])
        #expect(try await bench.keys().contains("7"))
    }

    @Test(arguments: [Set<Int>(), [1, 2]])
    func `pages of one record show their order over the edges`(_ unchanged: Set<Int>) async throws {
        let bench = try await bench()
        list(bench, [[1], [2], [3]])
        _ = try await asked(bench)
        list(bench, [[1], [2], [3], [4]], unchanged: unchanged)
        let second = try await asked(bench)
        #expect(second.targets.last == Self.target(4) && second.warnings == [Self.told])
        #expect(try await bench.keys() == ["1", "2", "3", "4"])
    }

    @Test func `old records that are pinned to the first page do not end the listing`() async throws {
        let bench = try await bench()
        list(bench, [[1, 2], [10, 9]])
        _ = try await asked(bench)
        list(bench, [[1, 2], [11, 10], [9]])
        #expect(try await asked(bench).targets == Self.targets(1, 2, 3))
        #expect(try await bench.keys().contains("11"))
    }

    @Test func `pages that fall each by itself and rise from one to the next are in no order`() async throws {
        let bench = try await bench()
        list(bench, [[20, 1], [5, 4], [3]])
        _ = try await asked(bench)
        list(bench, [[20, 1], [5, 4], [30]])
        let second = try await asked(bench)
        #expect(second.targets == Self.targets(1, 2, 3) && second.warnings == [Self.told])
        #expect(try await bench.keys().contains("30"))
    }

    @Test func `records that are pushed onto the next page meanwhile are in order`() async throws {
        let bench = try await bench()
        list(bench, [[9, 8, 7]])
        _ = try await asked(bench)
        list(bench, [[12, 11, 10], [11, 10, 9], [8, 7, 6], [5]])
        let second = try await asked(bench)
        #expect(second.targets == Self.targets(1, 2, 3) && second.warnings == [])
    }

    @Test func `where the newest record is deleted the listing ends as soon as the order is seen to fall`()
        async throws
    {
        let bench = try await bench()
        list(bench, [[9, 8], [7]])
        _ = try await asked(bench)
        list(bench, [[8, 7], [6, 5]])
        #expect(try await asked(bench).targets == Self.targets(1))
        list(bench, [[(1, 5), (2, 5)], [(3, 5)], [(4, 4)], [(5, 3)]])
        #expect(try await asked(bench).targets == Self.targets(1, 2, 3))
        // Of a page that did not change one value is known, which shows no order.
        list(bench, [[(1, 5), (2, 5)], [(4, 4), (3, 4)], [(5, 3)]], unchanged: [1])
        let last = try await asked(bench)
        #expect(last.targets == Self.targets(1, 2) && last.warnings == [])
    }

    @Test func `records without a value give no order`() async throws {
        let bench = try await bench()
        list(bench, [[9]])
        _ = try await asked(bench)
        let pages: [[Shown]] = [[(1, 12), (2, nil), (3, 10)], [(4, nil), (5, nil)], [(6, 8), (7, 7)], [(8, 1)]]
        list(bench, pages)
        let second = try await asked(bench)
        #expect(second.targets == Self.targets(1, 2, 3))
        #expect(second.warnings == ["3 records have no integer at $.at for the cursor"])
        list(bench, pages, unchanged: [1, 2, 3])
        let third = try await asked(bench)
        #expect(third.targets == Self.targets(1, 2, 3) && third.warnings == [])
    }

    @Test func `the 304 of a page that was out of order ends no listing`() async throws {
        let bench = try await bench()
        let pages = [[9, 10], [8, 7], [6, 5]]
        list(bench, pages)
        _ = try await asked(bench)
        // Its highest value is not known, so only the third page is seen to lie below another.
        list(bench, pages + [[4]], unchanged: [1, 2])
        #expect(try await asked(bench).targets == Self.targets(1, 2, 3))
    }

    @Test func `a listing that was out of order reads to its end in another run, too`() async throws {
        let bench = try await bench()
        list(bench, [[9, 8]])
        _ = try await asked(bench)
        list(bench, [[3, 4], [2, 1], [10]])
        bench.origin.set(Self.target(2), .status(.internalServerError))
        #expect(try await bench.sync().result.outcome == .queued)
        bench.time.advance(by: .seconds(3600))
        list(bench, [[3, 4], [2, 1], [10]])
        #expect(try await asked(bench).targets == Self.targets(2, 3))
        #expect(try await bench.keys().contains("10"))
    }

    @Test func `disorder that one listing saw does not keep the next one from ending at the cursor`() async throws {
        let bench = try await bench()
        list(bench, [[30, 29], [28, 27], [50], [26, 25]])
        #expect(try await asked(bench).warnings == [Self.told])
        list(bench, [[60, 50], [30, 29], [28, 27], [26, 25]])
        let second = try await asked(bench)
        #expect(second.targets == Self.targets(1, 2) && second.warnings == [])
    }
}
