// SPDX-License-Identifier: Apache-2.0
package import Siding

/// A name in a selection that neither the config nor the queue has.
package struct UnknownName: Sendable {
    package let kind: String
    package let name: String
    /// The names of this kind in the config.
    package let known: [String]
}

extension Store {
    /// The first source or resource of `selection` that is neither among those of the config nor in the queue.
    package func unknownName(
        in selection: QueueSelection, sources: [String], resources: [String]
    ) async throws(StoreError) -> UnknownName? {
        let every = QueueEntry.State.allCases
        for name in selection.sources where !sources.contains(name) {
            guard try await count(QueueSelection(sources: [name], states: every)) == 0 else { continue }
            return UnknownName(kind: "source", name: name, known: sources)
        }
        for name in selection.resources where !resources.contains(name) {
            guard try await count(QueueSelection(resources: [name], states: every)) == 0 else { continue }
            return UnknownName(kind: "resource", name: name, known: resources)
        }
        return nil
    }
}
