// SPDX-License-Identifier: Apache-2.0
/// A tree of several paths, so that one pass over a document finds all wanted values.
struct PathTree: Sendable {
    typealias Node = Int

    struct Edge: Sendable {
        let parent: Node
        let component: JSONPath.Component
        /// The hash of a member's name; 0 for an index.
        let hash: UInt64
        let name: [UInt8]
        let child: Node
    }

    static let root: Node = 0
    static let none: Node = -1

    private(set) var edges: [Edge] = []
    private(set) var nodeCount = 1

    /// Returns the node of the path and creates it if necessary. Ignores a trailing `[*]`.
    mutating func insert(_ path: JSONPath) -> Node {
        path.withoutEach.components.reduce(into: Self.root) { node, component in
            if let edge = edges.first(where: { $0.parent == node && $0.component == component }) {
                node = edge.child
                return
            }
            var name: [UInt8] = []
            if case .member(let text) = component { name = Array(text.utf8) }
            let hash = NameHash.hash(of: name)
            edges.append(Edge(parent: node, component: component, hash: hash, name: name, child: nodeCount))
            node = nodeCount
            nodeCount += 1
        }
    }

    func wantsMembers(of node: Node) -> Bool {
        edges.contains { edge in
            guard edge.parent == node, case .member = edge.component else { return false }
            return true
        }
    }

    func wantsElements(of node: Node) -> Bool {
        edges.contains { edge in
            guard edge.parent == node, case .index = edge.component else { return false }
            return true
        }
    }

    /// The node of a member below `node`, or `none`.
    @inline(never)
    func child(of node: Node, named name: ScannedString, hash: UInt64) -> Node {
        edges.first { $0.hash == hash && $0.parent == node && Self.isMember($0, named: name) }?.child ?? Self.none
    }

    /// The node behind an edge if the edge has this name, else nil.
    @inline(never)
    func child(at edge: Int, named name: ScannedString) -> Node? {
        Self.isMember(edges[edge], named: name) ? edges[edge].child : nil
    }

    /// The path from the root to the node.
    func path(to node: Node) -> JSONPath {
        var components: [JSONPath.Component] = []
        var place = node
        while let edge = edges.first(where: { $0.child == place }) {
            components.append(edge.component)
            place = edge.parent
        }
        return JSONPath(components: components.reversed())
    }

    func child(of node: Node, at position: Int) -> Node {
        edges.first { $0.parent == node && $0.component == .index(position) }?.child ?? Self.none
    }

    private static func isMember(_ edge: Edge, named name: ScannedString) -> Bool {
        guard case .member = edge.component else { return false }
        return edge.name.withUnsafeBytes { JSONString.areEqual(name.contents, toText: $0) }
    }
}
