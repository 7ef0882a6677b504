internal import SidingChain
internal import SidingPaging

/// What a page that failed says about the page size, where the config declares `size: { max, min }`.
extension ResourceSync {
    /// A page that goes on where it broke off is not lost. Some origins say that they can go on, but begin anew.
    ///
    /// - Parameter partial: the entity tag and the length of what had arrived of the page before.
    func saveLostPage(
        _ failed: PageFailure, after partial: (etag: String, count: Int)?
    ) async throws(StoreError) {
        guard sizing != nil, let sizes = resource.pageSizes, let size = nextPageRule.size(of: failed.page),
            !options.isAdHoc, failed.failure.isLostAnswer
        else { return }
        let hasAnswer = failed.failure.phase == .answered
        if let rest = failed.partial,
            partial.map({ $0.etag == rest.etag && (!hasAnswer || $0.count < rest.bytes.count) }) ?? true
        {
            return
        }
        try await engine.store.change(size, of: resource.name, scope: failed.page.scope, lease: lease) {
            $0.losePage(of: size, sizes)
        }
    }

    /// Goes back to the next larger size if the origin refused a page of a smaller one.
    ///
    /// - Returns: what to tell; nil if the page had the largest size, or the failure has another reason.
    func refuseSize(of failed: PageFailure) async throws(StoreError) -> String? {
        guard sizing != nil, let sizes = resource.pageSizes, let size = nextPageRule.size(of: failed.page),
            let larger = sizes.larger(than: size), !options.isAdHoc, failed.failure.isOfRequest
        else { return nil }
        try await engine.store.change(size, of: resource.name, scope: failed.page.scope, lease: lease) {
            $0.refusePage(of: size, sizes)
        }
        return
            "the origin may refuse pages of \(size) records; the next ones have \(larger): 'min: \(larger)' in 'size' keeps "
            + "them so large"
    }
}

extension Failure {
    /// Whether the origin refused this request for what it asks, so that another one may be answered.
    var isOfRequest: Bool {
        status.map { (400..<500).contains($0) && ![401, 403, 408, 425, 429].contains($0) } ?? false
    }
}
