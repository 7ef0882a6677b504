// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import SidingChain

/// Builds the chain that sends a write: the standard assembly, with a queue entry as its input.
struct WriteChain: Sendable {
    let source: Source
    let transport: any Transport
    let budget: BudgetUse?
    let environment: RuntimeEnvironment

    func make() -> any Node<ClaimedWrite, LoadedResponse> {
        assembly(for: .write).chain(
            from: RequestRouterNode<ClaimedWrite> { write in
                RequestDraft(
                    route: RequestRoute(write.method, write.url), headerFields: write.outgoingFields,
                    body: write.body.map(EncodedBody.bytes) ?? .none)
            }, to: WriteAnswerNode(limit: source.transport.maxBody))
    }

    /// The chain of a GET that asks about `write`, with its header fields: they may name the account, or the form of the record.
    func makeProbe(about write: ClaimedWrite) -> any Node<HTTPURL, LoadedResponse> {
        var fields = write.headerFields
        for field in write.headerFields where field.name.isOfContentOrCondition { fields[field.name] = nil }
        return assembly(for: nil).uncachedRequest(upTo: source.transport.maxBody, sending: fields)
    }

    private func assembly(for subject: FailureRule.Subject?) -> ChainAssembly {
        var assembly = ChainAssembly(
            to: source, for: subject, over: transport, within: budget, in: environment)
        // An answer that has arrived matters more than a quick end.
        assembly.isAbortable = true
        return assembly
    }
}

extension HTTPField.Name {
    /// Whether a field is about the body of a request, or makes it conditional (RFC 9110 §8 and §13.1).
    fileprivate var isOfContentOrCondition: Bool {
        canonicalName.hasPrefix("content-") || canonicalName.hasPrefix("if-") || self == .expect
    }
}

/// Reads the answer to a write. Its status already shows that the origin acted, so a truncated or unreadable body is not an
/// error. Its beginning shows whether it is a web page.
private struct WriteAnswerNode: Node {
    let limit: Int

    func process(_ input: ChainResponse<ReplyBody?>, _ context: ChainContext) async throws(Failure) -> LoadedResponse {
        input.with(body: await input.body?.prefix(upTo: limit))
    }
}

extension ClaimedWrite {
    /// `transport`, which lets the store know before the first byte leaves: the write may not be sent twice.
    func announced(in store: Store, over transport: any Transport) -> any Transport {
        ObservingTransport(transport) { (_) async throws(Failure) in
            do throws(StoreError) { try await store.markSent(self) } catch {
                throw Failure(.storage(error.kind.rawValue), phase: .notSent, detail: error.message)
            }
        }
    }
}
