// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingOrigin
import SidingPaging
import SidingSynchronization
import SidingTesting
import Testing
import TestSupport

@testable import Siding

/// Listings whose pages become smaller, from origins that take a page size for a wish.
@Suite struct PageSizeOriginTests {
    /// What an origin makes of the size that a request asks for.
    enum Habit: CaseIterable {
        case keeps, hasMaximum, hasMinimum, roundsDown, roundsUp, refuses, isEmptyWhenSmall

        /// The size of the page that is sent; nil if the request is refused.
        func size(for asked: Int) -> Int? {
            let sizes = [100, 50, 20, 10]
            return switch self {
            case .keeps: asked
            case .hasMaximum: min(asked, 30)
            case .hasMinimum: max(asked, 20)
            case .roundsDown: sizes.first { $0 <= asked } ?? 10
            case .roundsUp: sizes.last { $0 >= asked } ?? 100
            case .refuses: sizes.contains(asked) ? asked : nil
            case .isEmptyWhenSmall: asked < 20 ? 0 : asked
            }
        }
    }

    /// `shortOffset`: pages by offset that now and then have fewer records than asked for, with a total.
    enum Kind: CaseIterable { case page, offset, shortOffset, link }

    /// Records 1, 2, 3 …, behind a line on which long pages break off now and then.
    private final class Wishful: TransportFactory {
        let (habit, kind, count): (Habit, Kind, Int)
        let line: Mutex<SeededGenerator>
        /// The longest page that never breaks off.
        let carried: Int
        /// Pages behind these are empty.
        let mostPages: Int
        let isCut = Mutex(false)
        private var isByOffset: Bool { kind == .offset || kind == .shortOffset }

        init(
            _ habit: Habit, _ kind: Kind, count: Int, carried: Int, _ generator: SeededGenerator,
            mostPages: Int = 10_000
        ) {
            (self.habit, self.kind, self.count, self.carried) = (habit, kind, count, carried)
            line = Mutex(generator)
            self.mostPages = mostPages
        }

        func transport(for account: String, _ settings: TransportSettings) -> any Transport {
            ScriptedTransport { asked in self.answer(asked.request.path ?? "") }
        }

        private func answer(_ target: String) -> ScriptedAnswer {
            let query = Dictionary(
                uniqueKeysWithValues: (target.split(separator: "?").last ?? "").split(separator: "&").map { pair in
                    let parts = pair.split(separator: "=")
                    return (String(parts[0]), parts.count == 2 ? Int(parts[1]) : nil)
                })
            let asked = query["limit"].flatMap(\.self) ?? 100
            guard let size = habit.size(for: asked) else { return .status(.badRequest) }
            let page = query["page"].flatMap(\.self) ?? 1
            let start = min(isByOffset ? query["offset"].flatMap(\.self) ?? 0 : (page - 1) * size, count)
            let isShort = kind == .shortOffset && start % 3 == 0 && size > 3
            let end = min(start + (isShort ? size - 3 : size), count)
            if isCut.withLock(\.self) { return .failure(Failure(.truncated, phase: .answered)) }
            if start >= mostPages * size { return .text("[]", headerFields: [.contentType: "application/json"]) }
            if end - start > carried, line.withLock({ Int.random(in: 0..<10, using: &$0) < 4 }) {
                return .failure(Failure(.truncated, phase: .answered))
            }
            var fields: HTTPFields = [.contentType: "application/json"]
            if kind == .shortOffset, let total = HTTPField.Name("X-Total-Count") { fields[total] = "\(count)" }
            if kind == .link, end < count, let link = HTTPField.Name("Link") {
                fields[link] = "</posts?page=\(page + 1)&limit=\(asked)>; rel=\"next\""
            }
            let ids = (start..<end).map { #"{"id":\#($0 + 1)}"# }
            return .text("[\(ids.joined(separator: ","))]", headerFields: fields)
        }
    }

    @Test func `pages become smaller too where the origin says that it continues, and always restarts`() async throws {
        let bench = try await EngineBench()
        var resource = bench.resource
        resource.paging = .page(.init())
        resource.pageSizes = PageSizes(in: "limit", maximum: 100, minimum: 5)
        let origin = Liar()
        let engine = bench.engine(over: origin)
        for _ in 1...3 {
            #expect(try await engine.sync(resource).result.outcome == .queued)
            bench.time.advance(by: .seconds(3_600))
        }
        #expect(try await engine.sync(resource).result.outcome == .saved)
    }

    /// Breaks off pages of more than 50 records behind 5,000 bytes, whatever part of them is requested.
    private struct Liar: TransportFactory {
        func transport(for account: String, _ settings: TransportSettings) -> any Transport {
            ScriptedTransport { asked in
                let type: HTTPFields = [.contentType: "application/json"]
                let target = asked.request.path ?? ""
                guard target.contains("limit=100") else {
                    return .text(target.contains("page=1") ? #"[{"id":1}]"# : "[]", headerFields: type)
                }
                var fields = type
                (fields[.eTag], fields[.acceptRanges]) = ("\"a\"", "bytes")
                return .reply(
                    HTTPResponse(status: .ok, headerFields: fields), chunks: [Array(repeating: 32, count: 5_000)],
                    ending: Failure(.truncated, phase: .answered))
            }
        }
    }

    private static func paging(_ kind: Kind) -> Paging {
        switch kind {
        case .page: .page(.init())
        case .offset, .shortOffset: .offset(.init())
        case .link: .linkHeader
        }
    }

    @Test(arguments: Kind.allCases)
    func `an origin with a limit of pages, and empty ones behind them, loses no record by smaller ones`(
        kind: Kind
    ) async throws {
        let bench = try await EngineBench()
        var resource = bench.resource
        resource.paging = Self.paging(kind)
        resource.pageSizes = PageSizes(in: "limit", maximum: 100, minimum: 5)
        (resource.deletions, resource.isStable) = (Deletions(byAbsence: true), true)
        let line = Wishful(.keeps, kind, count: 325, carried: 400, SeededGenerator(seed: 1), mostPages: 12)
        let engine = bench.engine(over: line)
        for round in 1...10 {
            line.isCut.withLock { $0 = (2...4).contains(round) }
            let report = try await engine.sync(resource)
            bench.time.advance(by: .seconds(3_600))
            #expect(report.result.counters.deleted == 0, "round \(round)")
        }
        let keys = try await bench.store.records(of: "posts", after: nil, limit: 999, deleted: false)
        #expect(keys.count == 325)
    }

    @Test(arguments: Habit.allCases, Kind.allCases)
    func `a copy is complete and loses no record, however the origin treats the sizes`(
        habit: Habit, kind: Kind
    ) async throws {
        for seed in 1...UInt64(Proof.choose(short: 1, middle: 4, long: 300)) {
            var generator = SeededGenerator(seed: seed)
            let count = [Int.random(in: 1...600, using: &generator), 300].randomElement(using: &generator) ?? 300
            let carried = Int.random(in: 4...60, using: &generator)
            let origin = Wishful(habit, kind, count: count, carried: carried, generator)
            let bench = try await EngineBench()
            var resource = bench.resource
            resource.paging = Self.paging(kind)
            resource.pageSizes = PageSizes(in: "limit", maximum: 100, minimum: 5)
            resource.deletions = Deletions(byAbsence: true)
            let engine = bench.engine(over: origin)
            var completed = 0
            for round in 1...2_000 where completed < 3 {
                let report = try await engine.sync(resource)
                bench.time.advance(by: .seconds(3_600))
                #expect(report.result.counters.deleted == 0, "seed \(seed), round \(round)")
                guard report.result.outcome == .saved, !report.isIncomplete else { continue }
                completed += 1
                let keys = try await bench.store.records(of: "posts", after: nil, limit: 999, deleted: false)
                #expect(keys.count == count, "seed \(seed), round \(round): \(report)")
            }
            #expect(completed == 3, "seed \(seed): \(count) records, carried \(carried)")
        }
    }
}
