// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingSynchronization

/// A transport whose requests carry bytes as over a network: the meter of the call counts them as they pass, those of a body when it
/// is read.
final class CarryingTransport: Transport {
    struct Answer: Sendable {
        /// For the request and the head of its answer.
        var head = 100
        /// Nil where no answer comes.
        var status: Int? = 200
        /// The sizes of the body's chunks.
        var chunks: [Int] = []
        /// What ends the body, or comes in place of an answer.
        var ending: Failure?
    }

    private final class Script: Sendable {
        let left: Mutex<[Answer]>
        init(_ answers: [Answer]) { left = Mutex(answers.reversed()) }
    }

    private final class Chunks: Sendable {
        let left: Mutex<[Int]>
        init(_ sizes: [Int]) { left = Mutex(sizes.reversed()) }
    }

    private let script: Script
    private let counter = Counter()

    /// Answers in this order, then with an empty body.
    init(_ answers: [Answer] = []) { script = Script(answers) }

    /// How many requests went out.
    var sent: Int { counter.count }

    func send(_ request: HTTPRequest, body: EncodedBody) async throws(Failure) -> Reply {
        let meter = TrafficMeter.current
        let answer = script.left.withLock { $0.popLast() } ?? Answer()
        counter.next()
        meter?.add(answer.head)
        guard let status = answer.status else {
            throw answer.ending ?? Failure(.internalFault, phase: .notSent)
        }
        let chunks = Chunks(answer.chunks)
        let body = ReplyBody(length: nil) { () async throws(Failure) -> [UInt8]? in
            guard let size = chunks.left.withLock({ $0.popLast() }) else {
                if let ending = answer.ending { throw ending }
                return nil
            }
            meter?.add(size)
            return [UInt8](repeating: 0x20, count: size)
        }
        return Reply(
            response: HTTPResponse(status: HTTPResponse.Status(code: status)), body: body, url: try request.checkedURL()
        )
    }
}
