// SPDX-License-Identifier: Apache-2.0
import Foundation
import SidingJSON

/// A document as the simplest reader would hold it, to check by: plain recursion, Foundation's decimals, and no bytes.
indirect enum Tree: Hashable {
    case null
    case bool(Bool)
    case number(Decimal)
    case string([UInt8])
    case array([Tree])
    case object([[UInt8]: Tree])

    init(_ document: JSONDocument) {
        switch document.kind {
        case .null: self = .null
        case .true, .false: self = .bool(document.bool!)
        case .number: self = .number(Decimal(string: document.digits!)!)
        case .string: self = .string(Array(document.string!.utf8))
        case .array: self = .array(document.elements!.map(Tree.init))
        case .object:
            self = .object(
                Dictionary(uniqueKeysWithValues: document.members!.map { (Array($0.name.utf8), Tree($0.value)) }))
        }
    }

    var members: [[UInt8]: Tree]? {
        guard case .object(let members) = self else { return nil }
        return members
    }

    /// RFC 7396, section 2, word by word.
    func merging(_ patch: Tree) -> Tree {
        guard case .object(let changes) = patch else { return patch }
        var result = members ?? [:]
        for (name, value) in changes {
            result[name] = value == .null ? nil : (result[name] ?? .null).merging(value)
        }
        return .object(result)
    }

    /// The first rule of three-way merging that fits, member by member; at a conflict theirs, and its path is told.
    static func merged(
        base: Tree?, mine: Tree?, theirs: Tree?, at path: [[UInt8]] = [], conflicts: inout Set<[[UInt8]]>
    ) -> Tree? {
        if mine == theirs { return mine }
        if mine == base { return theirs }
        if theirs == base { return mine }
        guard let mine = mine?.members, let their = theirs?.members, let base = base.map(\.members) ?? [:] else {
            conflicts.insert(path)
            return theirs
        }
        var result: [[UInt8]: Tree] = [:]
        for name in Set(mine.keys).union(their.keys).union(base.keys) {
            result[name] = merged(
                base: base[name], mine: mine[name], theirs: their[name], at: path + [name], conflicts: &conflicts)
        }
        return .object(result)
    }
}

extension JSONDocument {
    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Read again by the room's own rules, from its bytes alone.
    var isStrictlyValid: Bool { (try? JSONDocument(Array(bytes))) == self }
}

extension JSONPath {
    /// The decoded names, as bytes: as Swift strings, texts that differ in normalisation alone would be equal.
    var names: [[UInt8]] {
        components.map { component in
            if case .member(let name) = component { Array(name.utf8) } else { [] }
        }
    }
}
