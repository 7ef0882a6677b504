// SPDX-License-Identifier: Apache-2.0
internal import SidingJSON
public import HTTPTypes
public import SidingChain
internal import SidingSynchronization

/// Replays the responses of a ``Tape`` in place of an origin: each exchange once.
///
/// Requests are matched by method, URL and body without their secrets, so a test needs none; header fields do not count. Equal
/// exchanges are used in order. A request without a match fails with ``SidingChain/Failure/Reason/internalFault``, which names
/// the request and the remaining exchanges.
public final class ReplayingTransport: Transport {
    /// Which of the remaining exchanges may match.
    public enum Order: Sendable {
        /// Only the next exchange of the tape.
        case strict
        /// The first remaining exchange that matches.
        case any
    }

    private let order: Order
    private let scrubber: TapeScrubber
    private let rest: Mutex<[Tape.Exchange]>

    /// - Parameters:
    ///   - tape: the exchanges to replay.
    ///   - order: any by default, since calls may be concurrent.
    ///   - scrubber: the one that the tape was recorded with.
    public init(_ tape: Tape, order: Order = .any, scrubber: TapeScrubber = TapeScrubber()) {
        self.order = order
        self.scrubber = scrubber
        rest = Mutex(tape.exchanges)
    }

    /// The exchanges that were not used yet; a test that expects all to be used checks this at its end.
    public var unused: [Tape.Exchange] { rest.withLock { $0 } }

    /// Answers with the exchange of the tape that matches, and uses it up.
    ///
    /// - Throws: the failure on the tape, or ``SidingChain/Failure/Reason/internalFault`` if nothing matches.
    public func send(_ request: HTTPRequest, body: EncodedBody) async throws(Failure) -> Reply {
        let url = try request.checkedURL()
        let asked = scrubber.request(request, body: try await body.collected(), isCut: false)
        switch try take(asked).outcome {
        case .failure(let failure): throw failure
        case .answer(let answer): return answer.reply(askedOf: url)
        }
    }

    private func take(_ asked: Tape.Request) throws(Failure) -> Tape.Exchange {
        let found = rest.withLock { rest -> Tape.Exchange? in
            let candidates = order == .strict ? rest.prefix(1) : rest[...]
            return candidates.firstIndex { $0.request.matches(asked) }.map { rest.remove(at: $0) }
        }
        guard let found else {
            throw Failure(.internalFault, phase: .notSent, detail: unmatched(asked)).at(
                node: "ReplayingTransport", method: asked.method, url: asked.url)
        }
        return found
    }

    private func unmatched(_ asked: Tape.Request) -> String {
        let rest = unused
        guard let next = rest.first else { return "the tape has no exchange left; the request was \(asked.summary)" }
        let shown = rest.prefix(3).map(\.request.summary).joined(separator: ", ")
        let more = rest.count > 3 ? " and \(rest.count - 3) more" : ""
        guard order == .any else {
            return "the next request of the tape is \(next.request.summary); the request was \(asked.summary); "
                + "left: \(shown)\(more)"
        }
        let isOnlyBody = rest.contains { ($0.request.method, $0.request.url) == (asked.method, asked.url) }
        let why = isOnlyBody ? "the tape has it with another body only" : "the tape has no such exchange left"
        return "\(why); the request was \(asked.summary); left: \(shown)\(more)"
    }
}

extension Tape.Request {
    fileprivate func matches(_ asked: Tape.Request) -> Bool {
        guard (method, url) == (asked.method, asked.url) else { return false }
        // Only the start of a cut body is known.
        guard let body, body.isCut else { return body?.bytes == asked.body?.bytes }
        return asked.body.map { $0.bytes.starts(with: body.bytes) } ?? false
    }

    fileprivate var summary: String {
        let carried = body.map { " with \($0.bytes.count) bytes" } ?? ""
        return PlainText.oneLine("\(method) \(url)", limit: 90) + carried
    }
}

extension Tape.Answer {
    fileprivate func reply(askedOf asked: HTTPURL) -> Reply {
        let bytes = body.bytes
        let cut = Failure(.truncated, phase: .answered, detail: "the tape's recording of this answer ends here")
        let rest = ScriptedBody(bytes.isEmpty ? [] : [bytes], brokenBy ?? (body.isCut ? cut : nil))
        return Reply(
            response: HTTPResponse(status: .init(code: status), headerFields: headerFields),
            body: ReplyBody(length: length) { () async throws(Failure) -> [UInt8]? in try rest.next() },
            url: url ?? asked)
    }
}
