internal import HTTPTypes
internal import SidingChain

/// The chain that sends a write: the assembly that everyone else uses, with an entry of the queue at its front.
struct WriteChain: Sendable {
    let source: Source
    let transport: any Transport
    let budget: BudgetUse?
    let connectivity: any Connectivity
    let jitter: Jitter
    let clock: any Clock<Duration>
    let wallClock: WallClock

    func make() -> any Node<ClaimedWrite, LoadedResponse> {
        assembly(for: .write).chain(
            from: RequestRouterNode<ClaimedWrite> { write in
                RequestDraft(
                    route: Route(write.method, write.url), headerFields: write.outgoingFields,
                    body: write.body.map(RequestBody.bytes) ?? .none)
            },
            to: WriteAnswerNode(limit: source.transport.maxBody))
    }

    /// The chain that asks the origin whether it has a write.
    func makeProbe() -> any Node<HTTPURL, LoadedResponse> {
        assembly(for: nil).question(upTo: source.transport.maxBody)
    }

    private func assembly(for subject: FailureRule.Subject?) -> ChainAssembly {
        var assembly = ChainAssembly(
            to: source, for: subject, over: transport, within: budget, connectivity: connectivity, jitter: jitter,
            clock: clock, wallClock: wallClock)
        // An answer that has arrived is worth more than a quick end.
        assembly.isAbortable = true
        return assembly
    }
}

/// Reads the answer to a write. Its status has said that the origin acted: a body that is cut short or cannot be read takes
/// nothing back.
private struct WriteAnswerNode: Node {
    let limit: Int

    func process(
        _ input: Response<ReplyBody?>, _ context: ChainContext
    ) async throws(Failure) -> LoadedResponse {
        input.with(body: try? await input.body?.collect(upTo: limit))
    }
}

/// A transport that lets the store know before the first byte leaves, for a write that may not be sent twice.
struct AnnouncedTransport: Transport {
    let transport: any Transport
    let store: Store
    let write: ClaimedWrite

    func send(_ request: HTTPRequest, body: RequestBody) async throws(Failure) -> Reply {
        try await announce()
        return try await transport.send(request, body: body)
    }

    func send(
        _ request: HTTPRequest, body: RequestBody, admitting admit: RedirectAdmission
    ) async throws(Failure) -> Reply {
        try await announce()
        return try await transport.send(request, body: body, admitting: admit)
    }

    private func announce() async throws(Failure) {
        do { try await store.markSent(write) } catch {
            throw Failure(.storage(error.message), phase: .notSent)
        }
    }
}
