// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingTesting
import Testing

@testable import Siding
@testable import SidingModels

@Suite struct RecordStepTests {
    private let context = ChainContext(requestID: "1")

    /// Stands for a chain that fetches.
    private struct FetchNode: Node {
        let answer: @Sendable () throws(Failure) -> [Ticket]
        func process(_ input: Void, _ context: ChainContext) async throws(Failure) -> [Ticket] { try answer() }
    }

    @Test func `fetch then save reads as two steps in a row`() async throws {
        let bench = try await TypedBench()
        let chain = FetchNode { [Ticket(id: 1, title: "a"), Ticket(id: 2)] }.then(
            SaveRecordsStep(to: bench.issues, in: bench.siding))
        #expect(chain.description == "FetchNode → SaveRecordsStep")
        #expect(try await chain.process((), context) == [.inserted, .inserted])
        #expect(try await bench.titles() == ["a", ""])
    }

    @Test func `a fetch that failed saves nothing and passes its failure on`() async throws {
        let bench = try await TypedBench()
        let chain = FetchNode { () throws(Failure) in throw Failure(.noInternetConnection, phase: .notSent) }
            .then(SaveRecordsStep(to: bench.issues, in: bench.siding))
        let failure = await #expect(throws: Failure.self) { try await chain.process((), context) }
        #expect(failure?.reason == .noInternetConnection)
        #expect(try await bench.siding.records(of: bench.issues).count() == 0)
    }

    @Test func `several fetches, saves and reads stand in one line`() async throws {
        let bench = try await TypedBench(searchable: [\.title])
        let (siding, issues) = (bench.siding, bench.issues)
        let chain = FetchNode { [Ticket(id: 1, title: "fast train", comments: 1), Ticket(id: 2, title: "slow train")] }
            .then(UpsertRecordsStep(to: issues, in: siding, onConflict: .error))
            .then(
                FetchRecordsStep { outcomes in siding.records(of: issues).where(\.comments == 0).limit(outcomes.count) }
            )
            .map { issues in TextSearch.Text.words(issues.first?.title ?? "") }
            .then(SearchRecordsStep(in: issues, of: siding))
            .map { hits in hits.map(\.key) }
            .then(DeleteRecordsStep(from: issues, in: siding))
        #expect(try await chain.process((), context) == 1)
        #expect(try await siding.records(of: issues).array().map(\.id) == [1])
        let rest = DeleteRecordsStep<Int, Ticket>(from: issues, in: siding) { comments in \.comments == comments }
        #expect(try await rest.process(1, context) == 1)
    }

    @Test func `a store that fails is a failure of its own reason, with the store's error beneath`() async throws {
        let bench = try await TypedBench()
        await bench.store.close()
        let (siding, issues) = (bench.siding, bench.issues)
        let save = await #expect(throws: Failure.self) {
            try await SaveRecordsStep(to: issues, in: siding).process([Ticket(id: 1)], context)
        }
        #expect(save?.reason == .storage("closed"))
        #expect(save?.node == "SaveRecordsStep" && save?.phase == .answered)
        guard case .store? = save?.underlying as? RecordError else { return #expect(Bool(false)) }
        let read = await #expect(throws: Failure.self) {
            try await FetchRecordsStep { (_: Int) in siding.records(of: issues) }.process(1, context)
        }
        #expect(read?.reason.name == "storage")
        let gone = await #expect(throws: Failure.self) {
            try await DeleteRecordsStep(from: issues, in: siding).process(["1"], context)
        }
        #expect(gone?.node == "DeleteRecordsStep")
    }

    @Test func `an error of the caller's function is the caller's failure`() async throws {
        struct Refusal: Error {}
        let bench = try await TypedBench()
        let step = FetchRecordsStep<Int, Ticket> { _ in throw Refusal() }
        let failure = await #expect(throws: Failure.self) { try await step.process(1, context) }
        #expect(failure?.reason == .userCode)
        let issues = bench.issues
        let delete = DeleteRecordsStep<Int, Ticket>(from: issues, in: bench.siding) { _ in throw Refusal() }
        let other = await #expect(throws: Failure.self) { try await delete.process(1, context) }
        #expect(other?.reason == .userCode)
    }

    @Test func `a failed store keeps a fetch for later, and never sends a write twice by itself`() {
        let failure = Failure(.storage("busy"), phase: .answered)
        #expect(failure.retention(of: .fetch) == .keep(counted: true))
        #expect(failure.retention(of: .write(resendable: false)) == .park(.uncertain))
        #expect(failure.description == "the local store could not do as asked (busy)")
    }
}
