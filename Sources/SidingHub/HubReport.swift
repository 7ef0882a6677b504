// SPDX-License-Identifier: Apache-2.0
/// What the publication of a resource did.
public struct HubReport: Sendable, Equatable {
    /// The name of the resource.
    public let resource: String
    /// The number of records that were sent, living and deleted.
    public internal(set) var rows = 0
    /// The number of records that a comparison deleted in the hub.
    public internal(set) var deleted = 0
    /// Why all records were compared; nil if they were not.
    public internal(set) var comparison: String?
    /// How many values did not fit their column, by its name.
    public internal(set) var misfits: [String: Int] = [:]
    /// How many changes the hub still lacks: with an error, or in a dry run.
    public internal(set) var behind = 0
    /// Why the resource was not published, or not to its end; nil if it was.
    public internal(set) var error: HubError?

    init(_ resource: String) {
        self.resource = resource
    }
}
