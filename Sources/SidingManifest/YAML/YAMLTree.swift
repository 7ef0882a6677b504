// SPDX-License-Identifier: Apache-2.0
internal import SidingJSON
internal import SidingChain
internal import Yams

/// Converts Yams' nodes: resolves aliases and merge keys, finds duplicate keys, and enforces the limits.
struct YAMLTree {
    /// Deeper than any real config, and shallow enough for recursion.
    static let maximumHeight = 64
    /// The maximum number of nodes, counting aliases at each use.
    static let maximumSize = 100_000

    private let text: SourceText
    private var anchors: [String: YAMLNode] = [:]
    private(set) var faults: [Fault] = []
    private var spent = 0
    private var isOverBudget = false

    init(text: SourceText) {
        self.text = text
    }

    /// Nil if the tree exceeds a limit.
    mutating func root(_ node: Yams.Node) -> YAMLNode? {
        let root = convert(node, depth: 1)
        return isOverBudget ? nil : root
    }

    static func duplicate(of name: String, at place: Place, first: Place?) -> Fault {
        let earlier = first.map { ", given already in line \($0.line)" } ?? ""
        return Fault(place: place, message: "duplicate key '\(PlainText.oneLine(name, limit: 60))'\(earlier)")
    }

    private mutating func convert(_ node: Yams.Node, depth: Int) -> YAMLNode {
        let place = place(of: node.mark)
        guard !isOverBudget else { return YAMLNode(place, .scalar("", isPlain: true)) }
        guard depth <= Self.maximumHeight else { return refuse(place, Self.tooDeep) }
        refuseTag(of: node, at: place)
        spend(1, at: place)
        let converted = bounded(content(of: node, at: place, depth: depth))
        if let anchor = node.anchor { anchors[anchor.rawValue] = converted }
        return converted
    }

    private mutating func content(of node: Yams.Node, at place: Place, depth: Int) -> YAMLNode {
        switch node {
        case .scalar(let scalar): self.scalar(scalar, at: place)
        case .sequence(let sequence): YAMLNode(place, .list(sequence.map { convert($0, depth: depth + 1) }))
        case .mapping(let mapping): YAMLNode(place, .map(entries(of: mapping, depth: depth)))
        case .alias(let alias): resolve(alias.anchor.rawValue, at: place)
        }
    }

    private mutating func scalar(_ scalar: Yams.Node.Scalar, at place: Place) -> YAMLNode {
        let isPlain = scalar.style == .plain
        if isPlain, scalar.string.unicodeScalars.first == SourceText.aliasSign {
            return resolve(String(scalar.string.unicodeScalars.dropFirst()), at: place)
        }
        return YAMLNode(place, .scalar(SourceText.restored(scalar.string), isPlain: isPlain))
    }

    private mutating func resolve(_ name: String, at place: Place) -> YAMLNode {
        if let node = anchors[name] {
            spend(node.size, at: place)
            return node
        }
        let shown = PlainText.oneLine(SourceText.restored(name), limit: 60)
        faults.append(
            Fault(
                place: place, message: "the alias '*\(shown)' names no anchor that stands before it",
                expected: "an anchor '&\(shown)' further up, or quotes around text that begins with '*'"))
        return YAMLNode(place, .scalar("", isPlain: true))
    }

    // MARK: Maps

    private mutating func entries(of mapping: Yams.Node.Mapping, depth: Int) -> [YAMLEntry] {
        var entries: [YAMLEntry] = []
        var places: [String: Place] = [:]
        var merged: [YAMLNode] = []
        for (key, value) in mapping {
            let place = place(of: key.mark)
            let name = name(of: key, at: place)
            let value = convert(value, depth: depth + 1)
            guard let name else { continue }
            if name == "<<", key.scalar?.style == .plain {
                merged.append(value)
            } else if let first = places[name] {
                faults.append(Self.duplicate(of: name, at: place, first: first))
            } else {
                places[name] = place
                entries.append(YAMLEntry(name: name, place: place, value: value))
            }
        }
        for value in merged { merge(value, into: &entries, known: &places) }
        return entries
    }

    private mutating func name(of key: Yams.Node, at place: Place) -> String? {
        if let renamed = text.renamedName(at: place) { return renamed }
        guard let scalar = key.scalar, scalar.string.unicodeScalars.first != SourceText.aliasSign else {
            faults.append(
                Fault(place: place, message: "a list, a map or an alias may not be a key", expected: "a name"))
            return nil
        }
        refuseTag(of: key, at: place)
        return SourceText.restored(scalar.string)
    }

    /// Merges `<<` (YAML 1.1): the map's own keys win over merged ones, earlier maps over later ones.
    private mutating func merge(_ value: YAMLNode, into entries: inout [YAMLEntry], known places: inout [String: Place])
    {
        switch value.content {
        case .map(let others):
            for other in others where places[other.name] == nil && !isOverBudget {
                spend(other.value.size, at: value.place)
                places[other.name] = other.place
                entries.append(other)
            }
        case .list(let maps) where maps.allSatisfy(\.isMap):
            for map in maps { merge(map, into: &entries, known: &places) }
        default:
            faults.append(
                Fault(
                    place: value.place, message: "'<<' is \(value.kind)",
                    expected: "the alias of a map, or a list of such"))
        }
    }

    // MARK: Bounds

    private static let tooDeep = "nested more than \(maximumHeight) levels deep"
    private static let tooMany = "more than \(maximumSize) values, aliases counted as often as they are used"

    private mutating func bounded(_ node: YAMLNode) -> YAMLNode {
        guard !isOverBudget else { return node }
        if node.height > Self.maximumHeight { return refuse(node.place, Self.tooDeep) }
        return node
    }

    private mutating func spend(_ count: Int, at place: Place) {
        spent += count
        if spent > Self.maximumSize, !isOverBudget { _ = refuse(place, Self.tooMany) }
    }

    private mutating func refuse(_ place: Place, _ message: String) -> YAMLNode {
        isOverBudget = true
        faults.append(Fault(place: place, message: message))
        return YAMLNode(place, .scalar("", isPlain: true))
    }

    private static let untagged: Set<Tag.Name> = [.str, .seq, .map, .implicit, .nonSpecific]

    private mutating func refuseTag(of node: Yams.Node, at place: Place) {
        let tag = node.tag.rawValue
        guard !Self.untagged.contains(Tag.Name(rawValue: tag)) else { return }
        faults.append(Fault(place: place, message: "the tag '\(PlainText.oneLine(tag, limit: 60))' means nothing here"))
    }

    private func place(of mark: Mark?) -> Place {
        Place(file: text.file, line: mark?.line ?? 1, column: mark?.column ?? 1)
    }
}

extension YAMLNode {
    fileprivate var isMap: Bool {
        if case .map = content { true } else { false }
    }
}
