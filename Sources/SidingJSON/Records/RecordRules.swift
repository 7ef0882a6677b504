// SPDX-License-Identifier: Apache-2.0
/// Checks a record beyond the grammar and locates its wanted values.
///
/// A broken rule is noted, not thrown: scanning continues with the record and the rest of the page. Only the first fault is
/// reported. One instance serves all records of a page, so that none of them allocates.
struct RecordRules: ~Copyable {
    /// The innermost open array or object.
    struct Frame {
        var span = NameSet.Span(first: 0)
        /// The wanted node of this container, or `PathTree.none`.
        var node = PathTree.none
        var element = -1
    }

    /// An edge of the tree, in plain numbers.
    struct Branch {
        let edge: Int
        let hash: UInt64
        let parent: PathTree.Node
    }

    let document: UnsafePointer<UInt8>
    let documentEnd: UnsafePointer<UInt8>
    let limits: JSONLimits
    let tree: PathTree
    let found: ScratchStack<FoundValue>
    private(set) var noted: NotedFault?
    private(set) var memberSet: UInt64 = 0
    private var names: NameSet
    private var frame = Frame()
    private var outerFrames = ScratchStack<Frame>(capacity: 16)
    /// The names on wanted paths, by hash: only names that match one are compared with the tree's.
    private let branches: ScratchStack<Branch>
    /// Whether a name on a wanted path is written with escapes.
    private(set) var hasEscapedName = false
    private var depth = 0
    /// The wanted node of the next value.
    private var node = PathTree.root

    init(scanner: JSONScanner, tree: PathTree, limits: JSONLimits) {
        document = scanner.start
        documentEnd = scanner.end
        self.limits = limits
        self.tree = tree
        found = ScratchStack(repeating: FoundValue(), count: tree.nodeCount)
        var branches = ScratchStack<Branch>(capacity: tree.edges.count)
        for (index, edge) in tree.edges.enumerated() {
            branches.append(Branch(edge: index, hash: edge.hash, parent: edge.parent))
        }
        self.branches = branches
        names = NameSet(document: scanner.start)
    }

    /// Resets the state for the next record.
    @inline(__always)
    mutating func begin() {
        for index in 0..<found.count { found[index].end = 0 }
        noted = nil
        memberSet = 0
        hasEscapedName = false
        names.removeAll()
        node = PathTree.root
    }

    /// Takes the name of the member that holds the record as the value of `node`.
    mutating func take(name: ScannedString, at node: PathTree.Node) {
        check(name)
        self.node = node
        take(.string, from: name.start - 1, to: name.end + 1)
        self.node = PathTree.root
    }

    @inline(__always)
    private mutating func note(_ rule: NotedFault.Rule, at place: UnsafePointer<UInt8>, count: Int = 0) {
        if noted == nil { noted = NotedFault(rule: rule, start: place - document, count: count) }
    }

    @inline(__always)
    private mutating func take(_ kind: JSONKind, from start: UnsafePointer<UInt8>, to end: UnsafePointer<UInt8>) {
        guard node != PathTree.none else { return }
        found[node] = FoundValue(
            kind: kind, start: UInt32(truncatingIfNeeded: start - document),
            end: UInt32(truncatingIfNeeded: end - document))
        node = PathTree.none
    }

    @inline(__always)
    private mutating func child(named name: ScannedString, hash: UInt64) -> PathTree.Node {
        for index in 0..<branches.count where branches[index].hash == hash && branches[index].parent == frame.node {
            guard let child = tree.child(at: branches[index].edge, named: name) else { continue }
            if name.isEscaped { hasEscapedName = true }
            return child
        }
        return PathTree.none
    }

    @inline(__always)
    private mutating func check(_ string: ScannedString) {
        if string.hasLoneSurrogate { note(.loneSurrogate, at: string.start - 1) }
        if string.count > limits.maxStringBytes { note(.stringTooLong, at: string.start - 1) }
    }
}

extension RecordRules: JSONObserver {
    @inline(__always)
    mutating func open(
        _ kind: JSONKind, at position: UnsafePointer<UInt8>, in scanner: borrowing JSONScanner
    ) throws(JSONSyntaxError) {
        depth += 1
        guard depth <= limits.maxDepth else { return note(.tooDeep, at: position) }
        outerFrames.append(frame)
        frame = Frame(span: names.beginObject(), node: node)
        take(kind, from: position, to: position + 1)
    }

    @inline(__always)
    mutating func close(at position: UnsafePointer<UInt8>) {
        depth -= 1
        guard depth < limits.maxDepth else { return }
        if let name = names.endObject(frame.span) {
            note(.duplicateName, at: document + Int(name.start), count: Int(name.count))
        }
        if frame.node != PathTree.none { found[frame.node].end = UInt32(truncatingIfNeeded: position - document) }
        frame = outerFrames.removeLast()
        node = PathTree.none
    }

    @inline(__always)
    mutating func name(_ name: ScannedString, in scanner: borrowing JSONScanner) throws(JSONSyntaxError) {
        guard depth <= limits.maxDepth else { return }
        check(name)
        let hash = NameHash.hash(name, readable: documentEnd - name.start)
        if depth == 1 { memberSet = NameHash.combine(memberSet, hash) }
        if names.insert(name, hash: hash, in: &frame.span) { note(.duplicateName, at: name.start, count: name.count) }
        if frame.node != PathTree.none { node = child(named: name, hash: hash) }
    }

    @inline(__always)
    mutating func element() {
        guard frame.node != PathTree.none, depth <= limits.maxDepth else { return }
        frame.element += 1
        node = tree.child(of: frame.node, at: frame.element)
    }

    @inline(__always)
    mutating func string(_ string: ScannedString, in scanner: borrowing JSONScanner) throws(JSONSyntaxError) {
        check(string)
        take(.string, from: string.start - 1, to: string.end + 1)
    }

    @inline(__always)
    mutating func scalar(_ kind: JSONKind, from start: UnsafePointer<UInt8>, to end: UnsafePointer<UInt8>) {
        take(kind, from: start, to: end)
    }
}
