// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingNodes
import SidingTesting
import SidingSynchronization
import Testing

@Suite struct RequestBatchStepTests {
    struct Own: Error {}

    /// How many calls are inside at once, and what they were called.
    final class Gauge: Sendable {
        private let state = Mutex<(inside: Int, most: Int, names: [String])>((0, 0, []))
        var most: Int { state.withLock { $0.most } }
        var names: [String] { state.withLock { $0.names } }
        func enter(_ name: String = "") {
            state.withLock {
                $0.inside += 1
                $0.most = max($0.most, $0.inside)
                $0.names.append(name)
            }
        }
        func leave() { state.withLock { $0.inside -= 1 } }
    }

    /// Waits as many seconds of `clock` as it is asked for; odd numbers fail.
    static func waiting(_ clock: ManualClock, _ gauge: Gauge) -> Step<Int, Int> {
        Step { seconds, context throws(Failure) in
            gauge.enter(context.requestID)
            defer { gauge.leave() }
            do { try await clock.sleep(for: .seconds(seconds)) } catch {
                throw Failure(.cancelled, phase: .maybeSent)
            }
            guard seconds.isMultiple(of: 2) else { throw Failure(.contract, phase: .answered, detail: "\(seconds)") }
            return seconds
        }
    }

    @Test func `outcomes are in request order and apart, in any order of completion`() async throws {
        let (clock, gauge) = (ManualClock(), Gauge())
        let line = Railway(
            RequestBatchStep(
                .several { (count: Int) in (1...count).map { count + 1 - $0 } }, Self.waiting(clock, gauge),
                ResultProcessor { "\($0)!" }, concurrency: 9))
        async let outcomes = line.process(4, .test)
        await clock.sleepers(4)
        for _ in 1...4 { clock.advance(by: .seconds(1)) }
        let texts = try await outcomes.map { outcome in
            switch outcome {
            case .success(let text): text
            case .failure(let failure): failure.detail ?? ""
            }
        }
        #expect(texts == ["4!", "3", "2!", "1"])
        #expect(Set(gauge.names) == ["test.1", "test.2", "test.3", "test.4"])
        #expect(line.description == "RequestBatchStep(Step)")
    }

    @Test func `no more than the given number are under way at a time`() async throws {
        let gauge = Gauge()
        let lingering = Step<Int, Int> { input, _ in
            gauge.enter()
            defer { gauge.leave() }
            for _ in 0..<100 { await Task.yield() }
            return input
        }
        let line = Railway(
            RequestBatchStep(.several { (count: Int) in Array(0..<count) }, lingering, concurrency: 3))
        #expect(try await line.process(50, .test).map { try $0.get() } == Array(0..<50))
        #expect(gauge.names.count == 50)
        #expect(gauge.most <= 3)
    }

    @Test func `cancelling ends what is under way and begins nothing further`() async throws {
        let (clock, gauge) = (ManualClock(), Gauge())
        let line = Railway(
            RequestBatchStep(
                .several { (count: Int) in [Int](repeating: 2, count: count) }, Self.waiting(clock, gauge),
                concurrency: 2))
        let call = Task { try await line.process(50, .test) }
        await clock.sleepers(2)
        call.cancel()
        let phases = try await call.value.map { outcome -> Failure.Phase? in
            if case .failure(let failure) = outcome, failure.reason == .cancelled { failure.phase } else { nil }
        }
        #expect(phases == [.maybeSent, .maybeSent] + [Failure.Phase?](repeating: .notSent, count: 48))
        #expect(gauge.names.count == 2)
    }

    @Test func `a failure before it passes the whole batch by`() async {
        let ran = Counter()
        let step = RequestBatchStep(
            RequestGenerator<Int, [Try<Int>]>.several { [$0] }, Step<Int, Int> { _, _ in ran.next() })
        let failing = RequestStep(Step<Int, Int> { _, _ throws(Failure) in throw Failure(.contract, phase: .answered) })
        #expect(await Railway(failing).then(step).failure(1)?.reason == .contract)
        let throwing = RequestBatchStep(
            RequestGenerator<Int, [Try<Int>]>.several { _ in throw Own() }, Step<Int, Int> { _, _ in ran.next() })
        #expect(await Railway(throwing).failure(1)?.reason == .userCode)
        #expect(ran.count == 0)
    }

    @Test func `several fetches then several saves: each failure stays in its place, recovered where named`()
        async throws
    {
        let saved = Counter()
        let fetch = Step<Int, Int> { number, _ throws(Failure) in
            switch number {
            case 2: throw Failure(.contract, phase: .answered)
            case 3: throw Failure(.hostNotFound, phase: .notSent)
            default: return number * 10
            }
        }
        let save = Step<Int, Int> { value, _ in
            saved.next()
            return value + 1
        }
        let line = Railway(RequestBatchStep(.several { (numbers: [Int]) in numbers }, fetch))
            .then(
                RequestBatchStep(
                    .each(
                        .onSuccess { value in
                            guard value != 40 else { throw Own() }
                            return value
                        }.recovering(where: { $0.reason == .hostNotFound }) { _ in 0 }), save))
        let outcomes = try await line.process([1, 2, 3, 4, 5], .test)
        #expect(outcomes.map { try? $0.get() } == [11, nil, 1, nil, 51])
        #expect(TryTests.failure(outcomes[1])?.reason == .contract)
        #expect(TryTests.failure(outcomes[3])?.reason == .userCode)
        #expect(saved.count == 3)
    }

    @Test func `a batch without requests has no outcomes, and a concurrency below one is one`() async throws {
        let line = Railway(
            RequestBatchStep(
                .several { (numbers: [Int]) in numbers }, Step<Int, Int> { input, _ in input }, concurrency: 0))
        #expect(try await line.process([], .test).isEmpty)
        #expect(try await line.process([1, 2], .test).map { try $0.get() } == [1, 2])
    }
}
