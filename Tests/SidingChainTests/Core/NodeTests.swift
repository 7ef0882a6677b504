// SPDX-License-Identifier: Apache-2.0
import SidingChain
import Testing

@Suite struct NodeTests {
    struct Own: Error {}
    static let double = Step<Int, Int> { input, _ in input * 2 }
    static let fails = Step<Int, Int> { _, _ throws(Failure) in
        throw Failure(.contract, phase: .answered).at(url: "http://a/")
    }

    @Test func `steps run in order, and the description lists them`() async throws {
        let chain = Self.double.then(Self.double).map { "\($0)!" }
        #expect(try await chain.process(3, .test) == "12!")
        #expect(chain.description == "Step → Step → MapNode")
        #expect(
            chain.retry(RetryPolicy()).timeLimit(.seconds(1)).description
                == "DeadlineNode(RetryNode(Step → Step → MapNode))")
    }

    @Test func `a failure passes the next steps by`() async {
        let never = Counter()
        let chain = Self.fails.map { _ in never.next() }
        #expect(await chain.failure(1)?.reason == .contract)
        #expect(never.count == 0)
    }

    @Test func `an error of a mapping travels on as a failure`() async {
        let failure = await Self.double.map { _ in throw Own() as any Error }.failure(1)
        #expect(failure?.reason == .userCode)
        #expect(failure?.node == "MapNode")
        #expect(failure?.underlying is Own)
    }

    @Test func `a recovery answers for a failure, and only for that`() async throws {
        #expect(
            try await Self.fails.recover { failure, _ in failure.reason == .contract ? 7 : 0 }.process(1, .test) == 7)
        #expect(try await Self.double.recover { _, _ in 0 }.process(4, .test) == 8)
    }

    @Test func `an error of a recovery replaces the failure, at the same place`() async {
        let failure = await Self.fails.recover { _, _ in throw Own() }.failure(1)
        #expect(failure?.reason == .userCode)
        #expect(failure?.phase == .answered)
        #expect(failure?.url == "http://a/")
    }

    @Test func `concurrent calls of one chain share nothing`() async throws {
        let chain = Self.double.map { $0 + 1 }
        let sums = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<100 { group.addTask { try await chain.process(number, .test) } }
            return try await group.reduce(0, +)
        }
        #expect(sums == (0..<100).reduce(0) { $0 + $1 * 2 + 1 })
    }
}
