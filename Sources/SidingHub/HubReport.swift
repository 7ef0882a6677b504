// SPDX-License-Identifier: Apache-2.0
/// What the publication of a resource did.
package struct HubReport: Sendable, Equatable {
    package let resource: String
    /// The number of records that were sent, living and deleted.
    package var rows = 0
    /// The number of records that a comparison deleted in the hub.
    package var deleted = 0
    /// Why all records were compared; nil if they were not.
    package var comparison: String?
    /// How many values did not fit their column, by its name.
    package var misfits: [String: Int] = [:]
    /// How many changes the hub still lacks: with an error, or in a dry run.
    package var behind = 0
    package var error: HubError?

    init(_ resource: String) {
        self.resource = resource
    }
}
