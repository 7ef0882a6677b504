// SPDX-License-Identifier: Apache-2.0
import Foundation
import Siding
import SidingChain
import Testing

/// What must show, told as simply as it can be: for each key what the origin is known to have, and the edits in their
/// order. Nothing in it knows rows, patches as bytes, or how edits are merged.
struct EditModel {
    typealias Fields = [String: Int]

    /// A record as one side has it; a tombstone keeps its fields.
    struct State: Equatable {
        var fields: Fields?
        var isDeleted = false

        var living: Fields? { isDeleted ? nil : fields }
    }

    /// A change, told member by member; nil removes one.
    enum Step: Equatable {
        case whole(Fields)
        case members([String: Int?])
        case gone

        func applied(to state: State) -> State {
            switch self {
            case .whole(let fields): return State(fields: fields)
            case .members(let members):
                guard var fields = state.fields else { return state }
                for (name, value) in members { fields[name] = value }
                return State(fields: fields)
            case .gone: return State(fields: state.fields, isDeleted: state.fields != nil)
            }
        }
    }

    struct Edit: Equatable {
        var entry: String
        var key: String
        var steps: [Step]
    }

    var known: [String: State] = [:]
    var edits: [Edit] = []

    /// What must show under each key, and how many edits lie on it.
    var shown: [String: Shown] {
        var all: [String: Shown] = [:]
        for key in Set(known.keys).union(edits.map(\.key)) {
            let own = edits.filter { $0.key == key }
            let state = own.flatMap(\.steps).reduce(known[key] ?? State()) { $1.applied(to: $0) }
            if let fields = state.living { all[key] = Shown(fields: fields, pending: own.count) }
        }
        return all
    }

    struct Shown: Equatable {
        var fields: Fields
        var pending: Int
    }

    mutating func accept(_ step: Step, key: String, entry: String) {
        if let index = edits.firstIndex(where: { $0.entry == entry }) {
            edits[index].steps.append(step)
        } else {
            edits.append(Edit(entry: entry, key: key, steps: [step]))
        }
    }

    mutating func pull(_ key: String, _ fields: Fields) { known[key] = State(fields: fields) }

    mutating func drop(_ entry: String) { edits.removeAll { $0.entry == entry } }

    /// The origin acted. Without an answer that tells more, it has what the edit made of what was known.
    mutating func deliver(_ entry: String, answer: Fields?, realKey: String?) {
        guard let index = edits.firstIndex(where: { $0.entry == entry }) else { return }
        let edit = edits.remove(at: index)
        let key = realKey ?? edit.key
        for other in edits.indices where edits[other].key == edit.key { edits[other].key = key }
        let made = edit.steps.reduce(known[key] ?? State()) { $1.applied(to: $0) }
        known[key] = answer.map { State(fields: $0) } ?? made
    }
}

/// An origin whose records are small.
struct ModelOrigin {
    var records: [String: EditModel.Fields] = [:]
    private var made = 0

    /// - Returns: the record's key and fields; nil where there is no such record.
    mutating func act(_ method: String, _ path: String, _ body: [UInt8]?) throws -> (
        key: String, fields: EditModel.Fields?
    )? {
        let members = try body.map { try Self.members($0) } ?? [:]
        if method == "POST" {
            made += 1
            let key = "p\(made)"
            records[key] = members.compactMapValues { $0 }
            return (key, records[key])
        }
        let key = String(path.split(separator: "/").last ?? "")
        switch method {
        case "PUT": records[key] = members.compactMapValues { $0 }
        case "DELETE":
            guard records.removeValue(forKey: key) != nil else { return nil }
            return (key, nil)
        default:
            guard records[key] != nil else { return nil }
            for (name, value) in members { records[key]?[name] = value }
        }
        return (key, records[key])
    }

    /// Integers by name, nil for null; the key is left out.
    static func members(_ json: [UInt8]) throws -> [String: Int?] {
        let object = try #require(try JSONSerialization.jsonObject(with: Data(json)) as? [String: Any])
        return object.filter { $0.key != "id" }.mapValues { $0 as? Int }
    }

    static func json(_ key: String?, _ members: [String: Int?]) -> String {
        let id = key.map { [#""id":"\#($0)""#] } ?? []
        let parts = members.sorted { $0.key < $1.key }.map { name, value in
            #""\#(name)":\#(value.map(String.init) ?? "null")"#
        }
        return "{\((id + parts).joined(separator: ","))}"
    }
}
