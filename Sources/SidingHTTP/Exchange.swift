internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1
internal import SidingChain
internal import SidingSynchronization

/// One request on its way and the answer as it comes: what the client below reports, kept for the one who waits.
///
/// The phase of a failure is a fact here, not a guess from the error: nothing is sent until the client says that the head
/// went out, and all is answered once it hands over a head. The first ending counts; the client is told of endings that
/// come from this side and what it says afterwards is ignored.
final class Exchange: HTTPClientResponseDelegate, Sendable {
    typealias Response = Void

    /// So many bytes may lie here unread before the connection is told to wait.
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
        /// Fulfilled when there is room for more.
        var room: EventLoopPromise<Void>?
        var ending: Ending?
        /// Woken with true when something arrived; with false where another one waits already.
        var reader: CheckedContinuation<Bool, Never>?
        var task: HTTPClient.Task<Void>?
        var timer: Scheduled<Void>?
    }

    private let limit: Int
    private let isSecure: Bool
    private let slot: Slot
    private let state = Mutex(State())

    init(limit: Int, isSecure: Bool, slot: Slot) {
        (self.limit, self.isSecure, self.slot) = (limit, isSecure, slot)
    }

    /// Hands over what ends the exchange from this side, the client's task, and starts the timer of its budget.
    func began(_ task: HTTPClient.Task<Void>, until deadline: NIODeadline) {
        state.withLock { $0.task = task }
        let timer = task.eventLoop.scheduleTask(deadline: deadline) { self.abort(.timeout(.total)) }
        let isOver = state.withLock { state in
            state.timer = timer
            return state.ending != nil
        }
        // A client that is shut down fails its tasks without a word to their delegates.
        task.futureResult.whenFailure { self.didReceiveError(task: task, $0) }
        if isOver {
            timer.cancel()
            task.cancel()
        }
    }

    /// Ends the exchange from this side, unless it has ended.
    func abort(_ reason: Failure.Reason, detail: String? = nil) {
        end { Failure(reason, phase: $0, detail: detail) }
    }

    /// Ends the exchange with an error of the caller's own code.
    func abort(wrapping error: any Error) {
        end { Failure.wrapping(error, phase: $0) }
    }

    /// Between the first byte's leaving and the client's word of it lies an instant in which a request that may have arrived
    /// looks unsent. Only the client's own thread never sees it, so that is where an unsent request ends.
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

    /// Lets go of all that an open exchange holds, and wakes who waits. Repeating it does no harm.
    private func finish() {
        let (reader, room, timer) = state.withLock { state in
            defer { (state.reader, state.room, state.timer) = (nil, nil, nil) }
            return (state.reader, state.room, state.timer)
        }
        timer?.cancel()
        slot.release()
        reader?.resume(returning: true)
        room?.succeed()
    }
}

// MARK: - What the one who waits asks

extension Exchange {
    /// The head of the answer, as soon as it is there.
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

    /// All parts of the body that have come, waiting for the first; nil at the end.
    func parts() async throws(Failure) -> [ByteBuffer]? {
        // An origin that is quicker than the reader never makes it wait, which is where a cancellation would be seen.
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

    /// Whether a call of ``parts()`` would wait.
    var isDry: Bool { state.withLock { $0.parts.isEmpty && $0.ending == nil } }

    /// Reads the body away so that its connection can be used again, or closes it where there is more than `limit`.
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

// MARK: - What the client below reports

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
                let situation = AsyncHTTPClientErrors.Situation(phase: state.phase, isSecure: isSecure, limit: limit)
                state.ending = .failed(AsyncHTTPClientErrors.failure(error, situation))
            }
        }
        finish()
    }

    /// The client reports an upload that the origin cut short by its answer only after the whole answer came.
    private static func isEndOfRefusedUpload(_ error: any Error, _ head: ResponseHead?) -> Bool {
        guard let head, head.status >= 300 else { return false }
        return error as? HTTPClientError == .requestStreamCancelled
    }
}
