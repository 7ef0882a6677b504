// SPDX-License-Identifier: Apache-2.0
/// Nodes that a module above this one adds to the chains of a ``ChainAssembly``, each in its place of the order.
package protocol AddedNodes: Sendable {
    /// Adds what runs once per request, around all attempts.
    func oncePerRequest<Attempts: Node>(
        _ attempts: Attempts
    ) -> any Node<RequestDraft, Attempts.Output> where Attempts.Input == RequestDraft

    /// Adds what runs once per attempt, with the attempt's credential.
    func oncePerAttempt<Attempt: Node>(
        _ attempt: Attempt
    ) -> any Node<RequestDraft, Attempt.Output> where Attempt.Input == RequestDraft

    /// Adds what sees the finished request and its reply.
    ///
    /// - Parameter wallClock: the assembly's.
    func sending(_ sender: RequestSenderNode, wallClock: WallClock) -> any Node<OutgoingRequest, Reply>

    /// Adds what sees the reply after the status check.
    func receiving<Content: Node>(_ content: Content) -> any Node<Reply, Content.Output> where Content.Input == Reply
}
