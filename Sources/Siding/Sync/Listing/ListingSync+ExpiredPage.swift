// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import SidingChain
internal import SidingJSON

extension ListingSync {
    /// Why a listing that continued at a page that the origin forbids, or that is no JSON, must start again; nil if it need not.
    ///
    /// A 403 may be the end of a link, as of a signed URL that has expired, or of the rights of this station for a while; what is no
    /// JSON may be the message of a forgotten token, or come from a proxy. In the second case the checkpoint must stay. So the first
    /// page is asked for, and counted in the report: only where the origin gives it, the link is dead.
    mutating func expiry(of walked: ListingRun.Walked) async -> String? {
        let source = sync.resource.source
        guard position.isResumed, !walked.hasPages, let failed = walked.failure, let how = failed.possibleExpiry,
            source.rule(for: failed.failure, of: .fetch) == nil, sync.resource.method == .get,
            failed.page.address != opening.first.address,
            case .fail = source.retention(of: failed.failure, .fetch, now: sync.engine.now)
        else { return nil }
        let counter = RequestCounter()
        let chain = ChainAssembly(
            to: source, for: .fetch, over: counter.counting(sync.transport), within: sync.budget,
            in: sync.engine.environment
        ).uncachedRequest(upTo: source.transport.maxBody)
        let first = try? await chain.process(opening.first.url, sync.context)
        count(requests: counter.take())
        guard let first, failed.failure.status != nil || first.isJSON else { return nil }
        return "\(how), and gives the first one"
    }
}

extension PageFailure {
    /// How the origin answered, if its address may have expired, or something else may be wrong for a while.
    fileprivate var possibleExpiry: String? {
        if let status = failure.status, [403, 501].contains(status) {
            return "the origin refused page \(page.number) with \(status)"
        }
        // What ends too early may be a page that the line has cut: a later request may get it.
        guard case .syntax(let error)? = failure.underlying as? PageFault, error.found != nil else { return nil }
        return "the origin answered page \(page.number) with what is no JSON"
    }
}

extension LoadedResponse {
    fileprivate var isJSON: Bool { bytes.map { (try? JSONDocument($0)) != nil } ?? false }
}
