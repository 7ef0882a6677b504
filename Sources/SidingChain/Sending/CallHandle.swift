// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import SidingSynchronization

/// Cancels one call from outside, and reports the progress of its bodies.
///
/// ```swift
/// let handle = CallHandle()
/// async let file = chain.process(draft, ChainContext(requestID: "7", handle: handle))
/// for await progress in handle.downloadProgress { show(progress.fraction) }
/// print(try await file.path)                      // `handle.cancel()` ends it, from anywhere, at any time
/// ```
/// A handle is for one call only: a second call with the same handle fails. ``AborterNode`` connects a chain to it.
public final class CallHandle: Sendable {
    private struct State {
        var isUsed = false
        var isCancelled = false
        /// Whether the origin has acted on a write, so that its response must reach the caller.
        var isShielded = false
        var cancel: (@Sendable () -> Void)?
    }

    package let downloads = TransferProgressUpdates()
    package let uploads = TransferProgressUpdates()
    private let state = Mutex(State())

    /// A handle for the next call; pass it in the call's ``ChainContext``.
    public init() {}

    /// The progress of the response body; it ends with the call. Each reader gets the newest progress that it has not seen.
    public var downloadProgress: some AsyncSequence<TransferProgress, Never> & Sendable { downloads }

    /// The progress of the request body; it ends with the call. Each reader gets the newest progress that it has not seen.
    public var uploadProgress: some AsyncSequence<TransferProgress, Never> & Sendable { uploads }

    /// Whether ``cancel()`` was called, or the task of the call was cancelled.
    public var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Ends the call with ``Failure/Reason/cancelled``. If the call has not begun, nothing will be sent; a finished call is
    /// unchanged.
    ///
    /// If the origin has already answered a write with success, the call continues and returns that response: the write has
    /// happened.
    public func cancel() {
        let cancel = state.withLock { state in
            state.isCancelled = true
            return state.isShielded ? nil : state.cancel
        }
        cancel?()
    }
}

// MARK: - Reports of the call's nodes

extension CallHandle {
    /// Claims the handle for a call.
    ///
    /// - Parameter isCancelled: whether the call's task is already cancelled.
    /// - Throws: ``Failure/Reason/invalidRequest`` if the handle was used before, ``Failure/Reason/cancelled``.
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

    /// Removes the cancel function of the previous part of the call, before the next part begins.
    func detach() { state.withLock { $0.cancel = nil } }

    /// Returns once ``attach(_:)`` was called for the new part, which follows immediately.
    func attached() async {
        while state.withLock({ $0.cancel == nil }) { await Task.yield() }
    }

    /// Makes ``cancel()`` call `cancel` from now on; calls it at once if the handle was cancelled before.
    func attach(_ cancel: @escaping @Sendable () -> Void) {
        let isLate = state.withLock { state in
            state.cancel = cancel
            return state.isCancelled && !state.isShielded
        }
        if isLate { cancel() }
    }

    /// Reports that a request is about to be sent.
    ///
    /// - Throws: ``Failure/Reason/cancelled`` if a cancellation came while the previous response was shielded.
    func willSend() throws(Failure) {
        let isCancelled = state.withLock { state in
            state.isShielded = false
            return state.isCancelled
        }
        if isCancelled { throw Failure(.cancelled, phase: .notSent) }
    }

    /// Reports the head of a response. A successful response to a write, which cannot be requested again, is shielded from
    /// cancellation; an error needs no shield, as it ends the call anyway.
    func didAnswer(_ response: HTTPResponse, to method: HTTPRequest.Method, isResendable: Bool) {
        let isSafe = [.get, .head, .options, .trace].contains(method)
        guard response.status.kind == .successful, !isSafe || !isResendable else { return }
        state.withLock { $0.isShielded = !$0.isCancelled }
    }

    /// Reports that the call is over.
    func end() {
        state.withLock { $0.cancel = nil }
        downloads.finish()
        uploads.finish()
    }
}
