// SPDX-License-Identifier: Apache-2.0
/// What the operator has decided about a publication. None of it is for every publication: each is an answer to an error.
public struct PublishOptions: Sendable, Hashable {
    /// Makes this file the station from now on, whatever the hub has: sends all records, and deletes those of the station that the
    /// file lacks. It answers ``HubError/Kind/foreign``.
    public var adopts: Bool
    /// Lets a comparison delete any number of records in the hub. It answers ``HubError/Kind/deletionGuard``.
    public var acceptsDeletes: Bool

    /// The usual publication by default. The parameters are the properties of the same names.
    public init(adopts: Bool = false, acceptsDeletes: Bool = false) {
        (self.adopts, self.acceptsDeletes) = (adopts, acceptsDeletes)
    }
}
