// SPDX-License-Identifier: Apache-2.0
package import SidingChain
package import SidingJSON

/// Finds the list of records in an answer of a resource that is not declared yet.
package enum RecordsLocation {
    /// The path of the list that most likely has the records; nil if no list has objects.
    ///
    /// Lists named like the end of the URL's path, `data`, `items` and the like come first, then the outermost, then the longest.
    package static func path(in answer: JSONDocument, of url: HTTPURL) -> JSONPath? {
        let names = RecordNames(path: .root, url: url, resource: nil)
        return lists(in: answer, at: .root, names).max { $0.rank.lexicographicallyPrecedes($1.rank) }?.path
    }

    private struct List {
        let path: JSONPath
        /// The higher, the likelier.
        let rank: [Int]
    }

    private static let maxDepth = 5

    private static func lists(in value: JSONDocument, at path: JSONPath, _ names: RecordNames) -> [List] {
        let depth = path.components.count
        if let elements = value.elements {
            guard !elements.isEmpty, elements.allSatisfy({ $0.kind == .object }) else { return [] }
            let name = path.components.last.flatMap { step in
                if case .member(let name) = step { ExtentName(name) } else { nil }
            }
            guard !(name?.isOfLinks ?? false) else { return [] }
            let isNamed = name.map { $0.means(.records) || names.contains($0.spelling) } ?? false
            return [List(path: path, rank: [isNamed ? 1 : 0, -depth, elements.count])]
        }
        guard depth < maxDepth, let members = value.members else { return [] }
        return members.flatMap { lists(in: $0.value, at: path.appending(.member($0.name)), names) }
    }
}
