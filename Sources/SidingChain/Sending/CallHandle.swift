internal import HTTPTypes
internal import SidingSynchronization

/// Ends one call from outside, and tells how far its bodies have come.
///
/// ```swift
/// let handle = CallHandle()
/// async let file = chain.process(draft, ChainContext(requestID: "7", handle: handle))
/// for await progress in handle.downloadProgress { show(progress.fraction) }
/// print(try await file.path)                      // `handle.cancel()` ends it, from anywhere, at any time
/// ```
/// A handle is for one call and is never shared: a second call with the same handle fails. ``AborterNode`` is what makes
/// a chain listen to it.
public final class CallHandle: Sendable {
    private struct State {
        var isUsed = false
        var isCancelled = false
        /// Whether the origin has acted on a write: its answer must reach the caller.
        var isShielded = false
        var cancel: (@Sendable () -> Void)?
    }

    /// How much of the answer's body has come; it ends with the call.
    public let downloadProgress = TransferProgressUpdates()
    /// How much of the request's body was taken; it ends with the call.
    public let uploadProgress = TransferProgressUpdates()
    private let state = Mutex(State())

    public init() {}

    /// Whether ``cancel()`` was called, or the task of the call was cancelled.
    public var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Ends the call as ``Failure/Reason/cancelled``. Before the call begins, nothing will be sent; a call that is over
    /// stays as it is.
    ///
    /// Once the origin has answered a write with success, that answer is brought home instead: the write has happened.
    public func cancel() {
        let cancel = state.withLock { state in
            state.isCancelled = true
            return state.isShielded ? nil : state.cancel
        }
        cancel?()
    }
}

// MARK: - What the nodes of the call say

extension CallHandle {
    /// Takes the handle for a call.
    ///
    /// - Parameter isCancelled: whether the task of the call was cancelled by now.
    /// - Throws: ``Failure/Reason/invalidRequest`` where it was taken before, ``Failure/Reason/cancelled``.
    func begin(isCancelled: Bool) throws(Failure) {
        let wasUsed = state.withLock { state in
            defer { state.isUsed = true }
            return state.isUsed
        }
        guard !wasUsed else {
            throw Failure(
                .invalidRequest, phase: .notSent,
                detail: "this CallHandle has served a call already; make a new one for each call")
        }
        if isCancelled { cancel() }
        guard !self.isCancelled else {
            end()
            throw Failure(.cancelled, phase: .notSent)
        }
    }

    /// The next part of the call begins: what ended the one before is over.
    func detach() { state.withLock { $0.cancel = nil } }

    /// Returns once the part that began is one that ``cancel()`` ends: its beginner is about to say so.
    func attached() async {
        while state.withLock({ $0.cancel == nil }) { await Task.yield() }
    }

    /// From here on ``cancel()`` calls `cancel`; at once where it came before.
    func attach(_ cancel: @escaping @Sendable () -> Void) {
        let isLate = state.withLock { state in
            state.cancel = cancel
            return state.isCancelled && !state.isShielded
        }
        if isLate { cancel() }
    }

    /// A request is about to go out.
    ///
    /// - Throws: ``Failure/Reason/cancelled`` where the answer before was shielded from a cancellation.
    func willSend() throws(Failure) {
        let isCancelled = state.withLock { state in
            state.isShielded = false
            return state.isCancelled
        }
        if isCancelled { throw Failure(.cancelled, phase: .notSent) }
    }

    /// The head of an answer came. That of a write which succeeded, and cannot be asked for again, is kept from being
    /// thrown away; an error needs no such care, as it ends the call in itself.
    func didAnswer(_ response: HTTPResponse, to method: HTTPRequest.Method, isResendable: Bool) {
        let isSafe = [.get, .head, .options, .trace].contains(method)
        guard response.status.kind == .successful, !isSafe || !isResendable else { return }
        state.withLock { $0.isShielded = !$0.isCancelled }
    }

    /// The call is over.
    func end() {
        state.withLock { $0.cancel = nil }
        downloadProgress.finish()
        uploadProgress.finish()
    }
}
