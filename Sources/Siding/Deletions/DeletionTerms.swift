// SPDX-License-Identifier: Apache-2.0
/// How saving a page handles deletions.
struct DeletionTerms: Sendable, Hashable {
    var rule = Deletions()
    /// Whether one uninterrupted listing is enough; see ``AnyResource/isStable``.
    var isStable = false
    /// Whether an operator accepted the deletions, so that the guard does not apply.
    var isAccepted = false
    /// The largest page size of the config; nil where it stays the same.
    var largestPage: Int?
}
