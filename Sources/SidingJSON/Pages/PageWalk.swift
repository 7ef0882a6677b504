// SPDX-License-Identifier: Apache-2.0
/// Walks one page: follows the wanted paths from the root, reads each record with the record rules, and skips the rest.
///
/// It recurses only along wanted paths, whose length `JSONPathParser` limits.
struct PageWalk: ~Copyable {
    private let reader: PageReader
    private let page: UnsafeRawBufferPointer
    private var scanner: JSONScanner
    private var rules: RecordRules
    private var found: [FoundValue]
    private var records: [RecordSlice] = []
    private var recordsPath: JSONPath?
    /// The first of the root object's array members: candidates for the records.
    private var arrays: [JSONPath] = []
    private static let mostArrays = 8
    /// The first fault that makes the page useless although its syntax may be good.
    private var fault: PageFault?
    private var surroundings: [PageContents.Surrounding] = []
    /// The path of the value being read, where the surroundings are wanted.
    private var trail: [JSONPath.Component] = []
    /// How many more members of the root, and how many more values below the present one, are read with the surroundings.
    private var rootMembersLeft: Int
    private var surroundingsLeft = 0
    private static let surroundingDepth = 6
    /// Longer names and values say nothing about the listing, and would take memory.
    /// Enough for a list of links.
    private static let surroundingElements = 8
    private static let longestSurrounding = 2_000

    init(reader: PageReader, page: UnsafeRawBufferPointer, scanner: JSONScanner) {
        self.reader = reader
        self.page = page
        self.scanner = scanner
        rules = RecordRules(scanner: scanner, tree: reader.recordTree, limits: reader.limits)
        found = Array(repeating: FoundValue(), count: reader.tree.nodeCount)
        rootMembersLeft = reader.readsSurroundings ? 500 : 0
    }

    mutating func document() throws(JSONSyntaxError) {
        try value(at: PathTree.root, depth: 0)
        try scanner.finish()
    }

    /// Reads the value of each line; blank lines are skipped.
    mutating func lines() throws(JSONSyntaxError) {
        recordsPath = .root
        while scanner.position < scanner.end {
            try readRecord()
            let end = offset
            scanner.skipSpace()
            let isSeparated = scanner.position == scanner.end || page[end..<offset].contains(UInt8(ascii: "\n"))
            guard isSeparated else { throw scanner.failure(.expectedEnd) }
        }
    }

    private var offset: Int { scanner.position - scanner.start }

    private mutating func value(at node: PathTree.Node, depth: Int) throws(JSONSyntaxError) {
        guard scanner.position < scanner.end else { throw scanner.failure(.expectedValue) }
        let kind = JSONKind(firstByte: scanner.position.pointee)
        let start = UInt32(truncatingIfNeeded: offset)
        if node != PathTree.none {
            if found[node].isFound, fault == nil {
                fault = .repeatedName(reader.tree.path(to: node), offset: Int(start))
            }
            found[node] = FoundValue(kind: kind, start: start, end: start + 1)
        }
        if areRecords(at: node, kind) {
            try readRecords(at: reader.tree.path(to: node), depth: depth)
        } else if kind == .object, isRecord(at: node) {
            try readRecord()
            recordsPath = reader.tree.path(to: node)
            checkForMembers(Int(start))
        } else if kind == .object, node == PathTree.root || isSurrounding(depth) || reader.tree.wantsMembers(of: node) {
            try readMembers(of: node, depth: depth)
        } else if kind == .array, isSurrounding(depth) || reader.tree.wantsElements(of: node) {
            try readElements(of: node, depth: depth)
        } else {
            try skip(depth: depth)
            let value = EnvelopeValue(kind: kind, range: Int(start)..<offset)
            let isScalar = kind != .object && kind != .array && kind != .null
            if isScalar, isSurrounding(depth), value.range.count <= Self.longestSurrounding {
                surroundings.append(PageContents.Surrounding(path: JSONPath(components: trail), value: value))
            }
        }
        if node != PathTree.none { found[node].end = UInt32(truncatingIfNeeded: offset) }
    }

    /// Whether a value of this depth is read with the surroundings.
    private func isSurrounding(_ depth: Int) -> Bool {
        (depth == 0 ? rootMembersLeft : surroundingsLeft) > 0 && depth == trail.count && depth <= Self.surroundingDepth
    }

    /// Reads a value below the one being read.
    private mutating func value(
        at node: PathTree.Node, depth: Int, _ component: @autoclosure () -> JSONPath.Component
    ) throws(JSONSyntaxError) {
        let isNoted = isSurrounding(depth - 1)
        if isNoted {
            trail.append(component())
            // Each member of the root has an allowance of its own: none hides those behind it.
            if depth == 1 {
                (rootMembersLeft, surroundingsLeft) = (rootMembersLeft - 1, 100)
            } else {
                surroundingsLeft -= 1
            }
        }
        try value(at: node, depth: depth)
        if isNoted { trail.removeLast() }
    }

    private func areRecords(at node: PathTree.Node, _ kind: JSONKind) -> Bool {
        guard node != PathTree.none, recordsPath == nil else { return false }
        guard kind == .array || kind == .object && reader.records?.components.last == .child else { return false }
        return reader.records == nil ? node == PathTree.root : node == reader.recordsNode
    }

    /// Whether an object at `node` is a single record: it is at the declared path, which does not demand an array.
    private func isRecord(at node: PathTree.Node) -> Bool {
        guard let declared = reader.records, node == reader.recordsNode, recordsPath == nil else { return false }
        return declared.components.last != .each
    }

    private mutating func readRecords(at path: JSONPath, depth: Int) throws(JSONSyntaxError) {
        recordsPath = path
        try enterContainer(depth: depth)
        if scanner.isNext(UInt8(ascii: "{")) {
            guard try scanner.enterObject() else { return }
            repeat { try readRecord(named: try scanner.name()) } while try scanner.nextMember()
        } else {
            guard try scanner.enterArray() else { return }
            repeat { try readRecord() } while try scanner.nextElement()
        }
    }

    /// - Parameter name: the member that holds the record.
    private mutating func readRecord(named name: ScannedString? = nil) throws(JSONSyntaxError) {
        let start = offset
        rules.begin()
        if let name, reader.nameNode != PathTree.none { rules.take(name: name, at: reader.nameNode) }
        try scanner.record(&rules)
        let range = start..<offset
        guard records.count < reader.limits.maxRecords else {
            fault = fault ?? .tooManyRecords(limit: reader.limits.maxRecords, offset: start)
            return
        }
        records.append(
            RecordSlice(
                start: UInt32(truncatingIfNeeded: range.lowerBound), end: UInt32(truncatingIfNeeded: range.upperBound),
                outcome: outcome(of: range), memberSet: rules.memberSet, columns: columns(from: start)))
    }

    private func columns(from start: Int) -> [EnvelopeValue?] {
        guard !rules.hasEscapedName else { return [] }
        var values: [EnvelopeValue?] = []
        values.reserveCapacity(reader.columnNodes.count)
        for node in reader.columnNodes {
            let value = rules.found[node]
            values.append(
                value.isFound
                    ? EnvelopeValue(kind: value.kind, range: Int(value.start) - start..<Int(value.end) - start) : nil)
        }
        return values
    }

    private func outcome(of range: Range<Int>) -> RecordSlice.Outcome {
        if let noted = rules.noted { return .fault(noted.fault(in: scanner.start, limits: reader.limits)) }
        do throws(RecordFault) {
            return .key(try reader.keyReader.key(of: range, found: rules.found, in: page))
        } catch {
            return .fault(error)
        }
    }

    private mutating func readMembers(of node: PathTree.Node, depth: Int) throws(JSONSyntaxError) {
        try enterContainer(depth: depth)
        guard try scanner.enterObject() else { return }
        repeat {
            let name = try scanner.name()
            if name.count > reader.limits.maxStringBytes { throw scanner.failure(.stringTooLong, at: name.start - 1) }
            let hash = NameHash.hash(name, readable: scanner.end - name.start)
            let child = reader.tree.child(of: node, named: name, hash: hash)
            if node == PathTree.root, scanner.isNext(UInt8(ascii: "[")) {
                try readRootArray(named: name, at: child)
            } else if name.count <= Self.longestSurrounding {
                try value(at: child, depth: depth + 1, .member(Self.text(of: name)))
            } else {
                try value(at: child, depth: depth + 1)
            }
        } while try scanner.nextMember()
    }

    private mutating func readRootArray(named name: ScannedString, at child: PathTree.Node) throws(JSONSyntaxError) {
        let path = JSONPath(member: Self.text(of: name))
        if arrays.count < Self.mostArrays { arrays.append(path) }
        guard reader.records == nil, recordsPath == nil else {
            return try value(at: child, depth: 1, path.components[0])
        }
        let start = UInt32(truncatingIfNeeded: offset)
        try readRecords(at: path, depth: 1)
        if child != PathTree.none {
            found[child] = FoundValue(kind: .array, start: start, end: UInt32(truncatingIfNeeded: offset))
        }
    }

    private static func text(of name: ScannedString) -> String {
        JSONString.decode(name.contents) ?? String(decoding: name.contents, as: UTF8.self)
    }

    private mutating func readElements(of node: PathTree.Node, depth: Int) throws(JSONSyntaxError) {
        try enterContainer(depth: depth)
        guard try scanner.enterArray() else { return }
        var index = 0
        repeat {
            let child = reader.tree.child(of: node, at: index)
            if index < Self.surroundingElements {
                try value(at: child, depth: depth + 1, .index(index))
            } else {
                try value(at: child, depth: depth + 1)
            }
            index += 1
        } while try scanner.nextElement()
    }

    private mutating func enterContainer(depth: Int) throws(JSONSyntaxError) {
        try scanner.countValue()
        if depth >= reader.limits.maxDepth { throw scanner.failure(.tooDeep) }
    }

    private mutating func skip(depth: Int) throws(JSONSyntaxError) {
        var rules = SyntaxRules(
            depthLeft: reader.limits.maxDepth - depth, maxStringBytes: reader.limits.maxStringBytes)
        try scanner.skipValue(&rules)
    }
}

extension PageWalk {
    /// Refuses an object as one record if it lacks the key and has only objects as members: they are the records.
    private mutating func checkForMembers(_ start: Int) {
        guard case .fault(.missingKey)? = records.last?.outcome else { return }
        let members = JSONMembers.topLevelMembers(of: UnsafeRawBufferPointer(rebasing: page[start..<offset]))
        guard !members.isEmpty, members.allSatisfy({ $0.kind == .object }) else { return }
        fault = fault ?? .membersAreRecords(at: reader.records ?? .root)
    }

    /// The results, after the walk has reached the end of the page.
    consuming func contents() throws(PageFault) -> PageContents {
        if reader.records == nil, arrays.count > 1 {
            throw .ambiguousRecords(candidates: arrays.map(\.description))
        }
        if let fault { throw fault }
        try checkForErrors()
        let path = try foundPath()
        let envelope = reader.envelope.indices.map { index in wanted(index, recordsPath: path) }
        let isOneRecord = path == .root && reader.records == .root && found[PathTree.root].kind == .object
        return PageContents(
            records: records, recordsPath: path, hasList: recordsPath != nil, isOneRecord: isOneRecord,
            envelope: envelope, surroundings: surroundings)
    }

    /// Refuses an undeclared `errors` array as records: in JSON:API and GraphQL it lists errors, even with status 200.
    private func checkForErrors() throws(PageFault) {
        guard reader.records == nil, recordsPath == JSONPath(member: "errors"), !records.isEmpty else { return }
        throw .noRecords(at: nil, found: "an object that lists errors", arrays: arrays.map(\.description))
    }

    private func foundPath() throws(PageFault) -> JSONPath {
        if let recordsPath { return recordsPath }
        var place = found[PathTree.root]
        var description = place.kind.description
        if let declared = reader.records {
            place = found[reader.recordsNode]
            if place.isFound, place.kind == .null { return declared.withoutEach }
            description = place.isFound ? place.kind.description : "nothing"
        }
        throw .noRecords(at: reader.records, found: description, arrays: arrays.map(\.description))
    }

    /// The wanted value at `index`. A path into the records is followed separately, as the record rules ignore it.
    private func wanted(_ index: Int, recordsPath: JSONPath) -> EnvelopeValue? {
        let value = found[reader.envelopeNodes[index]]
        if value.isFound { return EnvelopeValue(kind: value.kind, range: Int(value.start)..<Int(value.end)) }
        // Members beside others that are records, and those of a line, say nothing about the listing.
        guard !reader.readsLines, reader.records?.components.last != .child else { return nil }
        let path = reader.envelope[index]
        return path.components.starts(with: recordsPath.components) ? JSONMembers.value(at: path, in: page) : nil
    }
}
