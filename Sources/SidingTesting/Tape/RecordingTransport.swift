// SPDX-License-Identifier: Apache-2.0
public import HTTPTypes
public import SidingChain
internal import SidingSynchronization

/// Passes every request to a transport and records the exchange for a ``Tape``.
///
/// ```swift
/// let recorder = RecordingTransport(transport)
/// // … calls, with the recorder in the transport's place …
/// try recorder.save(to: "Tests/Tapes/issues.json")
/// ```
///
/// Bodies still stream both ways and are recorded as they pass, so everything is in memory until the recorder is released. A
/// response whose reader stopped early is recorded as far as it was read, and marked as cut. A request without an outcome is
/// left out. Secrets are removed before anything leaves the recorder: see ``TapeScrubber``.
public final class RecordingTransport: Transport {
    private let transport: any Transport
    private let scrubber: TapeScrubber
    private let recordings = Mutex<[Recording]>([])

    private struct Recording {
        let request: HTTPRequest
        var body: [UInt8]?
        var isBodyCut = false
        var outcome: Outcome?
    }

    private enum Outcome {
        case failed(Failure)
        case answered(Tape.Answer)
    }

    /// - Parameters:
    ///   - transport: sends the requests.
    ///   - scrubber: removes the secrets, the well-known ones and others.
    public init(_ transport: any Transport, scrubber: TapeScrubber = TapeScrubber()) {
        self.transport = transport
        self.scrubber = scrubber
    }

    /// The recorded exchanges in the order of the requests, without secrets.
    public var tape: Tape {
        Tape(exchanges: recordings.withLock { $0 }.compactMap(exchange))
    }

    /// Writes ``tape`` to a file, atomically, mode 0600.
    ///
    /// - Throws: ``TapeError`` with the error of the file system.
    public func save(to path: String) throws(TapeError) {
        try tape.write(to: path)
    }

    /// Sends the request with the transport that is recorded, and records request and outcome; bodies as far as they are read.
    public func send(_ request: HTTPRequest, body: EncodedBody) async throws(Failure) -> Reply {
        let place = recordings.withLock { recordings in
            recordings.append(Recording(request: request))
            return recordings.count - 1
        }
        do throws(Failure) {
            let reply = try await transport.send(request, body: recorded(body, at: place))
            return recorded(reply, of: request, at: place)
        } catch {
            recordings.withLock { $0[place].outcome = .failed(error) }
            throw error
        }
    }

    private func recorded(_ body: EncodedBody, at place: Int) -> EncodedBody {
        switch body {
        case .none: return .none
        case .bytes(let bytes):
            recordings.withLock { $0[place].body = bytes }
            return body
        case .stream(let length, let chunks):
            recordings.withLock { ($0[place].body, $0[place].isBodyCut) = ([], true) }
            return .stream(length: length) { [self] in
                // A transport that sends the body again, after a redirect, restarts the recording.
                recordings.withLock { ($0[place].body, $0[place].isBodyCut) = ([], true) }
                let next = chunks()
                return { [self] in
                    let chunk = try await next()
                    recordings.withLock { recordings in
                        if let chunk { recordings[place].body? += chunk } else { recordings[place].isBodyCut = false }
                    }
                    return chunk
                }
            }
        }
    }

    private func recorded(_ reply: Reply, of request: HTTPRequest, at place: Int) -> Reply {
        let asked = try? request.checkedURL()
        let head = Tape.Answer(
            status: reply.response.status.code, headerFields: reply.response.headerFields,
            body: Tape.Body([], isCut: true), length: reply.body.length, url: reply.url == asked ? nil : reply.url)
        recordings.withLock { $0[place].outcome = .answered(head) }
        var recorded = reply
        let body = reply.body
        recorded.body = ReplyBody(length: body.length) { [self] () async throws(Failure) -> [UInt8]? in
            do throws(Failure) {
                let chunk = try await body.next()
                note(at: place) { answer in
                    if let chunk { answer.body.bytes += chunk } else { answer.body.isCut = false }
                }
                return chunk
            } catch {
                note(at: place) { answer in
                    answer.body.isCut = false
                    answer.brokenBy = error
                }
                throw error
            }
        }
        return recorded
    }

    private func note(at place: Int, _ change: (inout Tape.Answer) -> Void) {
        recordings.withLock { recordings in
            guard case .answered(var answer) = recordings[place].outcome else { return }
            recordings[place].outcome = nil  // one owner, so that bytes are appended in place
            change(&answer)
            recordings[place].outcome = .answered(answer)
        }
    }

    private func exchange(_ recording: Recording) -> Tape.Exchange? {
        let outcome: Tape.Outcome
        switch recording.outcome {
        case nil: return nil
        case .failed(let failure): outcome = .failure(scrubber.failure(failure))
        case .answered(let answer): outcome = .answer(scrubber.answer(answer))
        }
        let request = scrubber.request(recording.request, body: recording.body, isCut: recording.isBodyCut)
        return Tape.Exchange(request: request, outcome: outcome)
    }
}
