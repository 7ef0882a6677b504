// SPDX-License-Identifier: Apache-2.0
package import SidingJSON

/// Gives a resource a listing for each record of another resource, its parents.
package struct ForEach: Sendable, Hashable {
    /// The name of the parent resource.
    package var resource: String
    package var parents: Parents
    /// The values for `{name}` in the path and the query: paths in the parent record, by name.
    package var bindings: [String: JSONPath]
    /// How many parents are listed at once.
    package var concurrency: Int

    package static let usualConcurrency = 4
    /// The valid range of ``concurrency``.
    package static let concurrencies = 1...32

    package init(
        _ resource: String, parents: Parents = Parents(), bind bindings: [String: JSONPath],
        concurrency: Int = Self.usualConcurrency
    ) {
        (self.resource, self.parents, self.bindings) = (resource, parents, bindings)
        self.concurrency = min(max(concurrency, Self.concurrencies.lowerBound), Self.concurrencies.upperBound)
    }

    /// Which records of the other resource are parents.
    package struct Parents: Sendable, Hashable {
        /// Only records that are new, that changed since their listing began, or whose listing is not complete.
        package var areChanged: Bool
        package var filter: Filter?

        package init(areChanged: Bool = false, filter: Filter? = nil) {
            (self.areChanged, self.filter) = (areChanged, filter)
        }

        package static let all = Parents()
        package static let changed = Parents(areChanged: true)
    }

    /// A filter on the parents.
    package enum Filter: Sendable, Hashable {
        /// By members of their bodies.
        case members(RecordFilter)
        /// By one statement that reads the database; its first column holds the keys. Requires a store with SQL.
        case query(String)
    }

    /// The part that decides which listings exist, and their records; for ``ResourceDefinition``.
    var text: String {
        let bound = bindings.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        return "\(resource) \(bound.joined(separator: " "))"
    }
}
