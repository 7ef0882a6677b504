// SPDX-License-Identifier: Apache-2.0
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

    /// Goes back to a larger size if the origin refused the page in a smaller one that no page was read in.
    ///
    /// - Returns: what to tell; nil if there is no larger page to ask for.
    mutating func refuseSize(
        of refused: PageRequest, at position: inout ListingPosition
    ) async throws(StoreError) -> String? {
        guard sizing != nil, !options.isAdHoc, let sizes = resource.pageSizes,
            let size = nextPageRule.size(of: refused),
            let larger = sizes.larger(than: size), position.resizedFrom != nil || refused.number == 1,
            let page = position.resizedFrom ?? nextPageRule.resized(refused, to: larger)
        else { return nil }
        try await engine.store.change(size, of: resource.name, scope: refused.scope, lease: lease) {
            $0.refusePage(of: size, sizes)
        }
        sizing?.refusePage(of: size, sizes)
        (position.page, position.resizedFrom) = (page, nil)
        return
            "the origin may refuse pages of \(size) records; the next ones have \(larger): 'min: \(larger)' in 'size' keeps "
            + "them so large"
    }
}
