/// Finds the values of several members of a record in one pass, as SQLite's `->>` finds them.
///
/// It is for paths that are read from every record of a page, such as those of declared columns.
package struct MemberFinder: Sendable {
    private var tree = PathTree()
    /// Where each path's value is in the result of ``find(in:into:)``.
    package private(set) var places: [Int] = []
    /// Whether a node has paths below it.
    private var isInner: [Bool] = []

    /// - Returns: nil if a path is the whole record, has an index, or has a name whose spelling in SQLite's paths is doubtful.
    package init?(_ paths: [JSONPath]) {
        for path in paths {
            let isPlain = path.components.allSatisfy { component in
                guard case .member(let name) = component else { return false }
                return !name.isEmpty
                    && !name.utf8.contains { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") || $0 == 0 }
            }
            guard isPlain, !path.components.isEmpty else { return nil }
            places.append(tree.insert(path))
        }
        isInner = (0..<tree.nodeCount).map(tree.wantsMembers)
    }

    /// Sets the values at ``places``: nil where the record has none. If a name is repeated, the first one counts.
    ///
    /// - Parameters:
    ///   - record: valid JSON.
    ///   - values: reused from record to record.
    /// - Returns: false if a name is written with escapes: SQLite 3.40 does not find such members, later versions do.
    package func find(in record: UnsafeRawBufferPointer, into values: inout [EnvelopeValue?]) -> Bool {
        values.removeAll(keepingCapacity: true)
        values.append(contentsOf: repeatElement(nil, count: tree.nodeCount))
        let limits = JSONLimits(maxDepth: .max, maxValues: .max, maxStringBytes: .max)
        guard var scanner = try? JSONScanner(record, limits: limits) else { return false }
        return (try? find(below: PathTree.root, with: &scanner, into: &values)) == true
    }

    private func find(
        below node: PathTree.Node, with scanner: inout JSONScanner, into values: inout [EnvelopeValue?]
    ) throws(JSONSyntaxError) -> Bool {
        guard scanner.isNext(UInt8(ascii: "{")), try scanner.enterObject() else { return true }
        repeat {
            let name = try scanner.name()
            guard !name.isEscaped else { return false }
            let hash = NameHash.hash(name, readable: scanner.end - name.start)
            let child = tree.child(of: node, named: name, hash: hash)
            if child != PathTree.none, values[child] == nil {
                if isInner[child] {
                    var inner = scanner
                    guard try find(below: child, with: &inner, into: &values) else { return false }
                }
                values[child] = try scanner.range()
            } else {
                _ = try scanner.range()
            }
        } while try scanner.nextMember()
        return true
    }
}
