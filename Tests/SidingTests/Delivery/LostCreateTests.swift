// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingJSON
import SidingOrigin
import SidingSynchronization
import SidingTesting
import Testing
import TestSupport

@testable import Siding

/// An origin without idempotency keys that takes records, on a line that loses every other request or answer.
private final class LossyCollection: TransportFactory {
    private struct State {
        var marks: [String] = []
        var generator: SeededGenerator
    }

    private let state: Mutex<State>

    init(seed: UInt64) { state = Mutex(State(generator: SeededGenerator(seed: seed))) }

    /// The marks of the writes that arrived, in their order.
    var marks: [String] { state.withLock { $0.marks } }

    func transport(for account: String, _ settings: TransportSettings) -> any Transport {
        ScriptedTransport { [self] asked in
            state.withLock { state in
                let fate = Int.random(in: 0..<4, using: &state.generator)
                let lost = ScriptedAnswer.failure(Failure(.connectionLost, phase: .maybeSent))
                if fate == 0 { return lost }
                let answer = Self.carryOut(asked, in: &state)
                return fate == 1 ? lost : answer
            }
        }
    }

    private static func carryOut(_ asked: ScriptedTransport.Request, in state: inout State) -> ScriptedAnswer {
        guard asked.request.method == .post else {
            let mark = asked.request.path?.split(separator: "=").last.map(String.init)
            return .text("[\(state.marks.filter { $0 == mark }.map { #"{"ref":"\#($0)"}"# }.joined(separator: ","))]")
        }
        guard let mark = (try? JSONDocument(asked.body))?.value(at: JSONPath(member: "ref"))?.string else {
            return .status(.badRequest)
        }
        state.marks.append(mark)
        return .text(#"{"ref":"\#(mark)"}"#, status: .created)
    }
}

/// Writes that may not be sent twice, with a probe, over such a line.
@Suite struct LostCreateTests {
    @Test(arguments: 0..<Proof.choose(short: 25, middle: 50, long: 100))
    func `creates with a probe need no operator, and each acts once, with any loss`(seed: UInt64) async throws {
        let bench = try await EditBench()
        let origin = LossyCollection(seed: seed)
        var ids: [String] = []
        for number in 0..<5 {
            let write = WriteRequest(
                to: "blog", .post, try EditBench.url("/posts"), body: Array(#"{"n":\#(number)}"#.utf8))
            let probe = WriteProbe("/posts?ref={entry}", mark: JSONPath(member: "ref"))
            ids.append(try await bench.store.enqueue(write.with(\.probe, probe)).id)
        }
        let sender = try bench.sender(over: origin)
        for _ in 0..<200 {
            _ = try await sender.drain()
            bench.time.advance(by: .seconds(60))
        }
        for id in ids {
            let entry = try await bench.entry(id)
            let events = try await bench.events(entry)
            #expect(entry.state == .done, "\(events)")
        }
        #expect(origin.marks.sorted() == ids.sorted())
    }

    @Test func `without a probe a create that may have arrived is in doubt`() async throws {
        let bench = try await EditBench()
        let write = WriteRequest(to: "blog", .post, try EditBench.url("/posts"), body: Array("{}".utf8))
        let entry = try await bench.store.enqueue(write)
        let origin = ScriptedOrigin()
        origin.set("/posts", .failure(Failure(.connectionLost, phase: .maybeSent)))
        _ = try await bench.sender(over: origin).drain()
        #expect(try await bench.entry(entry.id).reason == .uncertain)
    }
}
