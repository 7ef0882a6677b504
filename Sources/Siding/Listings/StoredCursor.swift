// SPDX-License-Identifier: Apache-2.0
package import SidingChain

/// A resource's cursor as it is stored.
package struct StoredCursor: Sendable, Hashable {
    package var value: String
    package var movedAt: Timestamp
    /// The definition under which it was found: under another one it means nothing.
    var definition: ResourceDefinition
    /// Where the listing begins that it was found in; see ``ListingOpening/root``.
    var root: String?
}
