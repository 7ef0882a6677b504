// SPDX-License-Identifier: Apache-2.0
internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1
internal import SidingChain
internal import SidingSynchronization

/// One request in flight and its response: keeps what AsyncHTTPClient reports until the reader asks for it.
///
/// The phase of a failure is known here, not guessed from the error: the request is unsent until the client reports that the
/// head was sent, and answered once the client passes on a response head. Only the first ending counts. If it comes from this
/// side, the client is cancelled and its later reports are ignored.
final class Exchange: HTTPClientResponseDelegate, Sendable {
    typealias Response = Void

    /// The number of unread bytes at which the connection is paused.
    private static let highWater = 1 << 19

    private enum Ending {
        case whole
        case failed(Failure)
    }

    private struct State {
        var phase = Failure.Phase.notSent
        var head: ResponseHead?
        var parts: [ByteBuffer] = []
        var unread = 0
        /// Fulfilled when the connection may continue.
        var room: EventLoopPromise<Void>?
        var ending: Ending?
        /// Resumed with true when something has arrived, with false if another reader is waiting already.
        var reader: CheckedContinuation<Bool, Never>?
        var task: HTTPClient.Task<Void>?
        var timer: Scheduled<Void>?
    }

    private let limit: Int
    private let isSecure: Bool
    /// Held so that it runs as long as the exchange.
    private let client: RunningClient
    private let slot: Slot
    private let state = Mutex(State())
    /// The number of the meter in ``MeteredRequests``; nil if nobody counts the bytes.
    let meter: UInt64?

    init(limit: Int, isSecure: Bool, client: RunningClient, slot: Slot) {
        (self.limit, self.isSecure, self.client, self.slot) = (limit, isSecure, client, slot)
        meter = TrafficMeter.current.map(MeteredRequests.add)
    }

    /// Registers the client's task, so that the exchange can be ended from this side, and starts the timer for its deadline.
    func began(_ task: HTTPClient.Task<Void>, until deadline: NIODeadline) {
        state.withLock { $0.task = task }
        let timer = task.eventLoop.scheduleTask(deadline: deadline) { self.abort(.timeout(.total)) }
        let isOver = state.withLock { state in
            state.timer = timer
            return state.ending != nil
        }
        // When a client is shut down, it fails its tasks without informing their delegates.
        task.futureResult.whenFailure { self.didReceiveError(task: task, $0) }
        if isOver {
            timer.cancel()
            task.cancel()
        }
    }

    /// Ends the exchange from this side, unless it has ended already.
    func abort(_ reason: Failure.Reason, detail: String? = nil) {
        end { Failure(reason, phase: $0, detail: detail) }
    }

    /// Ends the exchange with an error of the caller's code.
    func abort(wrapping error: any Error) {
        end { Failure.wrapping(error, phase: $0) }
    }

    /// Between sending the first byte and the client's report there is an instant in which a request that may have arrived
    /// looks unsent. On the client's event loop this cannot be observed, so unsent requests are ended there.
    private func end(_ failure: @escaping @Sendable (Failure.Phase) -> Failure) {
        let loop = state.withLock { state in
            state.phase == .notSent && state.ending == nil ? state.task?.eventLoop : nil
        }
        if let loop, !loop.inEventLoop {
            loop.execute { self.endHere(failure) }
        } else {
            endHere(failure)
        }
    }

    private func endHere(_ failure: (Failure.Phase) -> Failure) {
        let task = state.withLock { state -> HTTPClient.Task<Void>? in
            guard state.ending == nil else { return nil }
            state.ending = .failed(failure(state.phase))
            state.parts = []
            return state.task
        }
        finish()
        task?.cancel()
    }

    /// Releases everything that an open exchange holds, and resumes the waiting reader. Safe to repeat.
    private func finish() {
        let (reader, room, timer) = state.withLock { state in
            defer { (state.reader, state.room, state.timer) = (nil, nil, nil) }
            return (state.reader, state.room, state.timer)
        }
        timer?.cancel()
        slot.release()
        // A request that never reached a connection.
        if let meter { MeteredRequests.remove(meter) }
        reader?.resume(returning: true)
        room?.succeed()
    }
}

// MARK: - For the reader

extension Exchange {
    /// Waits for the head of the response.
    func head() async throws(Failure) -> ResponseHead {
        while true {
            let (head, ending) = state.withLock { ($0.head, $0.ending) }
            if let head { return head }
            switch ending {
            case .failed(let failure): throw failure
            case .whole: throw Failure(.internalFault, phase: .maybeSent, detail: "an answer ended before it began")
            case nil: try await arrival { $0.head != nil }
            }
        }
    }

    /// All parts of the body that have arrived; waits for the first. Nil at the end.
    func parts() async throws(Failure) -> [ByteBuffer]? {
        // If the origin is faster than the reader, the reader never suspends, so cancellation is checked here.
        if Task.isCancelled { abort(.cancelled) }
        while true {
            let (parts, room, ending) = state.withLock { state in
                defer { (state.parts, state.unread, state.room) = ([], 0, nil) }
                return (state.parts, state.room, state.ending)
            }
            room?.succeed()
            if !parts.isEmpty { return parts }
            switch ending {
            case .failed(let failure): throw failure
            case .whole: return nil
            case nil: try await arrival { !$0.parts.isEmpty }
            }
        }
    }

    /// Whether ``parts()`` would have to wait.
    var isDry: Bool { state.withLock { $0.parts.isEmpty && $0.ending == nil } }

    /// Reads the rest of the body so that the connection can be reused, or closes it if there is more than `limit`.
    func discard(upTo limit: Int) async {
        var count = 0
        while count <= limit, let parts = try? await parts() {
            count += parts.reduce(0) { $0 + $1.readableBytes }
        }
        abort(.cancelled)
    }

    private func arrival(_ isThere: @Sendable (borrowing State) -> Bool) async throws(Failure) {
        let isOnlyReader = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
                let early = state.withLock { state -> Bool? in
                    if state.ending != nil || isThere(state) { return true }
                    if state.reader != nil { return false }
                    state.reader = continuation
                    return nil
                }
                if let early { continuation.resume(returning: early) }
            }
        } onCancel: {
            abort(.cancelled)
        }
        guard isOnlyReader else {
            throw Failure(.internalFault, phase: .answered, detail: "an answer has one reader at a time")
        }
    }
}

// MARK: - Reports of AsyncHTTPClient

extension Exchange {
    func didSendRequestHead(task: HTTPClient.Task<Void>, _ head: HTTPRequestHead) {
        state.withLock { if $0.phase == .notSent { $0.phase = .maybeSent } }
    }

    func didReceiveHead(task: HTTPClient.Task<Void>, _ head: HTTPResponseHead) -> EventLoopFuture<Void> {
        let reader = state.withLock { state in
            state.phase = .answered
            state.head = ResponseHead(head)
            defer { state.reader = nil }
            return state.reader
        }
        reader?.resume(returning: true)
        return task.eventLoop.makeSucceededVoidFuture()
    }

    func didReceiveBodyPart(task: HTTPClient.Task<Void>, _ buffer: ByteBuffer) -> EventLoopFuture<Void> {
        let (reader, room) = state.withLock { state -> (CheckedContinuation<Bool, Never>?, EventLoopPromise<Void>?) in
            guard state.ending == nil else { return (nil, nil) }
            state.parts.append(buffer)
            state.unread += buffer.readableBytes
            if state.reader == nil, state.unread >= Self.highWater { state.room = task.eventLoop.makePromise() }
            defer { state.reader = nil }
            return (state.reader, state.room)
        }
        reader?.resume(returning: true)
        return room?.futureResult ?? task.eventLoop.makeSucceededVoidFuture()
    }

    func didFinishRequest(task: HTTPClient.Task<Void>) {
        state.withLock { if $0.ending == nil { $0.ending = .whole } }
        finish()
    }

    func didReceiveError(task: HTTPClient.Task<Void>, _ error: any Error) {
        state.withLock { state in
            guard state.ending == nil else { return }
            if Self.isEndOfRefusedUpload(error, state.head) {
                state.ending = .whole
            } else {
                let situation = AsyncHTTPClientErrors.Situation(
                    phase: state.phase, isSecure: isSecure, limit: limit, proxy: client.proxy)
                state.ending = .failed(AsyncHTTPClientErrors.failure(error, situation))
            }
        }
        finish()
    }

    /// If a response cuts an upload short, the client reports this error only after the complete response.
    private static func isEndOfRefusedUpload(_ error: any Error, _ head: ResponseHead?) -> Bool {
        guard let head, head.status >= 300 else { return false }
        return error as? HTTPClientError == .requestStreamCancelled
    }
}
