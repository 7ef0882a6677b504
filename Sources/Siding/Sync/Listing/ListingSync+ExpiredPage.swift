// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import SidingChain

extension ListingSync {
    /// Why a listing that continued at a page that the origin forbids must start again; nil if it need not.
    ///
    /// A 403 may be the end of a link, as of a signed URL that has expired, or of the rights of this station for a while. In the second
    /// case the checkpoint must stay. So the first page is asked for: only where the origin gives it, the link is dead.
    func expiry(of walked: ListingRun.Walked) async -> (reason: String, requests: Int)? {
        let source = sync.resource.source
        guard position.isResumed, !walked.hasPages, let failed = walked.failure, failed.failure.status == 403,
            source.rule(for: failed.failure, of: .fetch) == nil, sync.resource.method == .get,
            failed.page.address != opening.first.address,
            case .fail = source.retention(of: failed.failure, .fetch, now: sync.engine.now)
        else { return nil }
        let counter = RequestCounter()
        let chain = ChainAssembly(
            to: source, for: .fetch, over: counter.counting(sync.transport), within: sync.budget,
            in: sync.engine.environment
        ).uncachedRequest(upTo: source.transport.maxBody)
        do throws(Failure) { _ = try await chain.process(opening.first.url, sync.context) } catch { return nil }
        return (
            "the origin refused page \(failed.page.number) with 403, and gives the first one", requests: counter.take()
        )
    }
}
