// SPDX-License-Identifier: Apache-2.0

/// What a comparison of a resource in the file and in the hub found.
///
/// It is about the living records without a change after the hub's position: what is not published yet is no difference.
package struct HubComparison: Sendable, Equatable {
    package let resource: String
    /// How many records are the same on both sides.
    package var same = 0
    /// Records that the hub lacks.
    package var missing = Difference()
    /// Records that the hub has with another body or of another revision.
    package var different = Difference()
    /// Records that the hub has too many.
    package var surplus = Difference()
    /// How many changes the hub lacks.
    package var behind = 0
    /// Why nothing was compared; nil if it was.
    package var omission: String?
    package var error: HubError?

    init(_ resource: String) {
        self.resource = resource
    }

    /// Whether no difference was found.
    package var isEqual: Bool { missing.count + different.count + surplus.count == 0 }

    /// Records that differ in one way.
    package struct Difference: Sendable, Equatable {
        package private(set) var count = 0
        /// The first ten, as many as a message shows.
        package private(set) var keys: [String] = []

        mutating func add(_ key: String) {
            count += 1
            if keys.count < 10 { keys.append(key) }
        }
    }
}
