// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingSynchronization
import SidingTesting
import Testing

@testable import Siding

/// Pages that arrive while others are saved are saved together.
@Suite(.timeLimit(.minutes(5))) struct GroupCommitTests {
    /// Pages with one record each, linked to one another.
    private static func origin(
        pages: Int, hold: @escaping @Sendable (String) async -> Void = { _ in }
    ) -> ScriptedOrigin {
        let origin = ScriptedOrigin(hold: hold)
        for number in 1...pages {
            let next = number < pages ? target(number + 1) : nil
            origin.set(target(number), ScriptedOrigin.page("[\(number)]", next: next, etag: "\"\(number)\""))
        }
        return origin
    }

    private static func target(_ number: Int) -> String { number == 1 ? "/posts" : "/posts?page=\(number)" }

    /// Lets every page of a synced origin answer 304 from now on.
    private static func answerUnchanged(_ origin: ScriptedOrigin, pages: Int) {
        for number in 1...pages { origin.set(target(number), .status(.notModified)) }
    }

    @Test func `pages that arrive while a commit runs are saved in one commit`() async throws {
        let lastIsAsked = Gatepost()
        let origin = Self.origin(pages: 4) { if $0 == Self.target(4) { lastIsAsked.open() } }
        let stored = Mutex<[Int]>([])
        let bench = Mutex<EngineBench?>(nil)
        let made = try await EngineBench(
            origin,
            probes: StoreProbes(willCommit: { page in
                if page == 1 { await lastIsAsked.pass() }
                let keys = try? await bench.withLock { $0 }?.keys()
                stored.withLock { $0.append(keys?.count ?? 0) }
            }))
        bench.withLock { $0 = made }
        #expect(try await made.sync().result.counters.pages == 4)
        let counts = stored.withLock { $0 }
        #expect(counts.count == 4)
        // Page 1 is saved alone; pages 2 and 3 were there by then, and 3 becomes visible with 2.
        #expect(counts.prefix(3) == [0, 1, 1])
        #expect(try await made.keys() == ["1", "2", "3", "4"])
    }

    @Test func `a page that fills a commit is saved while the next one is fetched`() async throws {
        let secondIsAsked = Gatepost()
        let origin = Self.origin(pages: 2) { if $0 == Self.target(2) { secondIsAsked.open() } }
        let ids = (1...CommitGroup.mostRecords).map { "\($0 + 10)" }.joined(separator: ",")
        origin.set(Self.target(1), ScriptedOrigin.page("[\(ids)]", next: Self.target(2)))
        // The commit of page 1 does not end before page 2 is asked for.
        let bench = try await EngineBench(
            origin, probes: StoreProbes(willCommit: { if $0 == 1 { await secondIsAsked.pass() } }))
        #expect(try await bench.sync().result.counters.inserted == CommitGroup.mostRecords + 1)
    }

    @Test func `pages that violate the contract are refused alone: those before them are saved`() async throws {
        let lastIsAsked = Gatepost()
        let origin = Self.origin(pages: 4) { if $0 == Self.target(4) { lastIsAsked.open() } }
        let link = try #require(HTTPField.Name("Link"))
        origin.set(
            Self.target(3),
            .text(
                #"[{"title":"no key"}]"#,
                headerFields: [.contentType: "application/json", link: "<\(Self.target(4))>; rel=\"next\""]))
        var bench = try await EngineBench(
            origin, probes: StoreProbes(willCommit: { if $0 == 1 { await lastIsAsked.pass() } }))
        bench.resource.schema.contract.missingKey = .fail
        let report = try await bench.sync()
        #expect(report.result.outcome == .failed)
        #expect(try await bench.keys() == ["1", "2"])
    }

    @Test func `unchanged pages wait for one another, and are saved in one commit`() async throws {
        let commits = Mutex<[Int]>([])
        let origin = Self.origin(pages: 30)
        let bench = try await EngineBench(
            origin, probes: StoreProbes(willCommit: { _ in commits.withLock { $0.append(origin.waiting) } }))
        _ = try await bench.sync()
        Self.answerUnchanged(origin, pages: 30)
        _ = origin.takeRequests()
        commits.withLock { $0 = [] }
        let report = try await bench.sync()
        #expect(report.result.outcome == .notModified && report.result.counters.notModified == 30)
        // No time passes by this clock: nothing was saved before the last page had been asked for.
        #expect(commits.withLock { $0 } == Array(repeating: 30, count: 30))
    }

    @Test func `an unchanged page that took longer than a group waits is saved at once`() async throws {
        let commits = Mutex<[Int]>([])
        let clock = Mutex<ManualClock?>(nil)
        let secondIsSaved = Gatepost()
        let isUnchanged = Mutex(false)
        let origin = Self.origin(pages: 4) { target in
            guard isUnchanged.withLock({ $0 }) else { return }
            if target == Self.target(2) { clock.withLock { $0 }?.advance(by: CommitGroup.longestWait) }
            if target == Self.target(3) { await secondIsSaved.pass() }
        }
        let bench = try await EngineBench(
            origin,
            probes: StoreProbes(willCommit: { page in
                commits.withLock { $0.append(page) }
                if page == 2 { secondIsSaved.open() }
            }))
        clock.withLock { $0 = bench.clock }
        _ = try await bench.sync()
        Self.answerUnchanged(origin, pages: 4)
        isUnchanged.withLock { $0 = true }
        commits.withLock { $0 = [] }
        // The third page is answered only once the second one is being saved.
        #expect(try await bench.sync().result.outcome == .notModified)
        #expect(commits.withLock { $0 } == [1, 2, 3, 4])
    }
}
