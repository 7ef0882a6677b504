// SPDX-License-Identifier: Apache-2.0
/// Removes members from JSON values and keeps every other byte.
package struct MemberRemoval: Sendable, Hashable {
    /// A name as bytes: Swift strings treat composed and decomposed letters as equal, JSON does not.
    private typealias Name = [UInt8]

    private struct Branch: Sendable, Hashable {
        /// The members to remove.
        var removed: Set<Name> = []
        /// The members to remove something from.
        var inner: [Name: Branch] = [:]

        mutating func insert(_ names: ArraySlice<Name>) {
            guard let first = names.first else { return }
            if names.count == 1 {
                removed.insert(first)
            } else {
                inner[first, default: Branch()].insert(names.dropFirst())
            }
        }
    }

    private var root = Branch()

    /// - Parameter paths: paths of members, of the value or of nested objects; other paths are ignored.
    package init(_ paths: [JSONPath]) {
        for path in paths {
            let names = path.components.compactMap { component in
                if case .member(let name) = component { Name(name.utf8) } else { nil }
            }
            if names.count == path.components.count { root.insert(names[...]) }
        }
    }

    /// Whether nothing is to be removed, so that a value need not be read.
    package var isEmpty: Bool { root == Branch() }

    /// Whether the value at `path` is removed.
    package func takes(_ path: JSONPath) -> Bool {
        var branch = root
        for case .member(let name) in path.components {
            if branch.removed.contains(Name(name.utf8)) { return true }
            guard let inner = branch.inner[Name(name.utf8)] else { return false }
            branch = inner
        }
        return false
    }

    /// The value without the members; nil if it has none of them. All occurrences of a repeated name are removed.
    package func applied(to value: UnsafeRawBufferPointer) -> [UInt8]? {
        let cuts = cuts(in: value)
        return cuts.isEmpty ? nil : Self.bytes(of: value, without: cuts)
    }

    /// The value with the members removed from every object in it, for answers that may contain a record at any depth; nil if it
    /// has none of them.
    ///
    /// - Parameter value: valid JSON, not too deep for recursion.
    package func appliedThroughout(_ value: UnsafeRawBufferPointer) -> [UInt8]? {
        var cuts: [Range<Int>] = []
        find([root], isThroughout: true, in: value, from: 0, &cuts)
        return cuts.isEmpty ? nil : Self.bytes(of: value, without: cuts)
    }

    /// The page with the members removed from the values at these ranges; nil if none has any of them.
    package func applied(to values: [Range<Int>], in page: UnsafeRawBufferPointer) -> [UInt8]? {
        let cuts = values.sorted { $0.lowerBound < $1.lowerBound }.flatMap { range in
            self.cuts(in: UnsafeRawBufferPointer(rebasing: page[range])).map { cut in
                cut.lowerBound + range.lowerBound..<cut.upperBound + range.lowerBound
            }
        }
        return cuts.isEmpty ? nil : Self.bytes(of: page, without: cuts)
    }

    private static func bytes(of value: UnsafeRawBufferPointer, without cuts: [Range<Int>]) -> [UInt8] {
        var kept: [UInt8] = []
        kept.reserveCapacity(value.count)
        var position = 0
        for cut in cuts {
            kept += value[position..<cut.lowerBound]
            position = cut.upperBound
        }
        kept += value[position...]
        return kept
    }

    /// The ranges to remove, in ascending order.
    private func cuts(in value: UnsafeRawBufferPointer) -> [Range<Int>] {
        var cuts: [Range<Int>] = []
        find([root], isThroughout: false, in: value, from: 0, &cuts)
        return cuts
    }

    /// Finds the ranges to remove. A member is removed together with the comma before it; if it was the first, the next kept
    /// member loses its comma.
    ///
    /// - Parameters:
    ///   - branches: the members to look for in this value.
    ///   - isThroughout: whether every nested object is treated like this one; otherwise only those on the branches.
    private func find(
        _ branches: [Branch], isThroughout: Bool, in object: UnsafeRawBufferPointer, from offset: Int,
        _ cuts: inout [Range<Int>]
    ) {
        func look(at range: Range<Int>, for branches: [Branch]) {
            let value = UnsafeRawBufferPointer(rebasing: object[range])
            find(branches, isThroughout: isThroughout, in: value, from: offset + range.lowerBound, &cuts)
        }
        if isThroughout {
            for element in JSONMembers.elements(of: object) where element.kind == .object || element.kind == .array {
                look(at: element.range, for: [root])
            }
        }
        guard let brace = object.firstIndex(of: UInt8(ascii: "{")) else { return }
        var end = brace + 1
        var (hasKept, hasRemoved) = (false, false)
        for member in JSONMembers.topLevelMembers(of: object) {
            let start = end
            end = member.valueRange.upperBound
            let name = Name(member.name.utf8)
            if branches.contains(where: { $0.removed.contains(name) }) {
                hasRemoved = true
                cuts.append(start + offset..<end + offset)
                continue
            }
            if hasRemoved, !hasKept, let comma = object[start...].firstIndex(of: UInt8(ascii: ",")) {
                cuts.append(start + offset..<comma + 1 + offset)
            }
            hasKept = true
            guard member.kind == .object || (isThroughout && member.kind == .array) else { continue }
            let inner = branches.compactMap { $0.inner[name] } + (isThroughout ? [root] : [])
            if !inner.isEmpty { look(at: member.valueRange, for: inner) }
        }
    }
}
