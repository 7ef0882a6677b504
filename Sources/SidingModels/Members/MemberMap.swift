// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials
public import SidingJSON
internal import SidingSynchronization

/// The JSON paths of a model's properties: declared ones, and those found so far.
final class MemberMap<Model: Codable & Sendable>: Sendable {
    private let coding: RecordCoding
    private let found: Mutex<[AnyKeyPath: JSONPath]>

    init(_ members: [Member<Model>], coding: RecordCoding) {
        self.coding = coding
        let declared = Dictionary(members.map { ($0.keyPath as AnyKeyPath, $0.path) }) { $1 }
        found = Mutex(declared)
    }

    /// - Throws: ``MemberError`` if the property's path cannot be found.
    func path(of keyPath: any PartialKeyPath<Model> & Sendable) throws(MemberError) -> JSONPath {
        if let known = found.withLock({ $0[keyPath] }) {
            try checkIsNoPath(known, of: keyPath)
            return known
        }
        let path = try MemberSearch<Model>(coding: coding).path(of: keyPath)
        found.withLock { $0[keyPath] = path }
        return path
    }

    /// A declared name with dots is mostly meant as the path of a nested member.
    private func checkIsNoPath(_ path: JSONPath, of keyPath: AnyKeyPath) throws(MemberError) {
        guard path.components.count == 1, case .member(let name) = path.components[0], name.contains(".") else {
            return
        }
        let nested = JSONPath(members: name.split(separator: ".").map(String.init))
        guard let model = try? ProbeTape(varying: nil).decode(Model.self), let json = coding.json(of: model),
            !MemberSearch<Model>.has(path, json), MemberSearch<Model>.has(nested, json)
        else { return }
        throw MemberError(keyPath, "the model writes no member with the name '\(name)', but one at the path \(nested)")
    }
}

/// Finds the JSON path of a property. It decodes the model from made-up values and changes one value at a time: the paths whose
/// change affects the property belong to it.
///
/// It then checks the result against the model's `encode(to:)`: the JSON at the path must be the property's JSON. So a computed
/// property is never confused with the member from which it is computed.
///
/// Where made-up values cannot be decoded, as some type takes only certain ones, a property belongs to the member of its own
/// name if the model's coding keys have it.
struct MemberSearch<Model: Codable & Sendable> {
    let coding: RecordCoding

    /// - Throws: ``MemberError`` if the path cannot be found.
    func path(of keyPath: any PartialKeyPath<Model> & Sendable) throws(MemberError) -> JSONPath {
        let tape = ProbeTape(varying: nil)
        let base: Model
        do throws(MemberError) { base = try decode(tape, keyPath) } catch {
            guard let path = ownPath(of: keyPath, tape) else { throw error }
            return path
        }
        guard let json = coding.json(of: base[keyPath: keyPath]), let whole = coding.json(of: base) else {
            throw MemberError(keyPath, "its value cannot be encoded")
        }
        var places: [[String]] = []
        for place in tape.places {
            // A value that the model rejects at one path does not affect the others.
            guard let varied = try? decode(ProbeTape(varying: place), keyPath) else { continue }
            if coding.json(of: varied[keyPath: keyPath]) != json { places.append(place) }
        }
        let found = Self.commonPlace(places).map { $0.isEmpty ? nil : JSONPath(members: coding.memberNames($0)) }
        guard let path = found ?? ownPath(of: keyPath, tape) else {
            throw MemberError(keyPath, "no member of the record decides it alone")
        }
        guard Self.value(at: path, in: whole) == json else {
            throw MemberError(keyPath, "it is not what the model writes at \(path)")
        }
        return path
    }

    /// The path of the member named like the property, or like it in snake case; nil for a property of a property.
    private func ownPath(of keyPath: AnyKeyPath, _ tape: ProbeTape) -> JSONPath? {
        let (text, root) = ("\(keyPath)", "\\\(Model.self).")
        guard text.hasPrefix(root), let isMember = tape.isMember else { return nil }
        let name = String(text.dropFirst(root.count))
        let names = [name] + RecordCoding(usesSnakeCase: true).memberNames([name])
        return names.first(where: isMember).map { JSONPath(members: coding.memberNames([$0])) }
    }

    private func decode(_ tape: ProbeTape, _ keyPath: AnyKeyPath) throws(MemberError) -> Model {
        do {
            return try tape.decode(Model.self)
        } catch let refusal as ProbeRefusal {
            throw MemberError(keyPath, refusal.description)
        } catch {
            throw MemberError(keyPath, "\(Model.self) does not decode from made-up values")
        }
    }

    private static func commonPlace(_ places: [[String]]) -> [String]? {
        guard var common = places.first else { return nil }
        for place in places { common = zip(common, place).prefix { $0 == $1 }.map(\.0) }
        return common
    }

    static func has(_ path: JSONPath, _ json: [UInt8]) -> Bool { value(at: path, in: json) != nil }

    private static func value(at path: JSONPath, in json: [UInt8]) -> [UInt8]? {
        json.withUnsafeBytes { json in
            JSONMembers.value(at: path, in: json)?.bytes(in: json).map { Array($0) }
        }
    }
}

/// Names the JSON path of a model's property, for cases in which Siding cannot find it.
///
/// ```swift
/// members: [Member(\.number, "nr"), Member(\.author.login, at: "$.author.login")]
/// ```
/// That concerns models in which some type accepts only certain values, such as an enumeration that is not `CaseIterable`: the
/// search decodes the model from made-up values. Of such models only properties named like their members are found. Where the
/// enumeration is `CaseIterable`, nothing has to be named.
public struct Member<Model>: Sendable {
    let keyPath: any PartialKeyPath<Model> & Sendable
    let path: JSONPath

    /// A member of the record by its name. A dot is part of the name, and does not lead to a nested member.
    public init(_ keyPath: any PartialKeyPath<Model> & Sendable, _ name: String) {
        self.init(keyPath, at: JSONPath(member: name))
    }

    /// A value inside of the record by its path, such as `$.author.name`.
    public init(_ keyPath: any PartialKeyPath<Model> & Sendable, at path: JSONPath) {
        self.keyPath = keyPath
        self.path = path
    }
}

/// The error for a property whose JSON path was not found.
public struct MemberError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The property, as in `\Issue.state`.
    public var property: String
    /// Why it was not found.
    public var reason: String

    public var description: String {
        "the JSON member of \(property) was not found: \(reason). Name it: Member(\(place), \(name))"
    }

    /// A computed property has no name at run time.
    private var place: String { property.hasPrefix("\\") ? property : "\\.property" }

    /// What to write for the member. The members of a nested property are mostly named like the properties.
    private var name: String {
        let names = property.split(separator: ".").dropFirst().map { $0.filter { $0 != "?" && $0 != "!" } }
        guard property.hasPrefix("\\"), names.count > 1 else { return "\"its_name\"" }
        return "at: \"\(JSONPath(members: names))\""
    }

    init(_ keyPath: AnyKeyPath, _ reason: String) {
        let text = "\(keyPath)"
        property = text.contains("<computed") ? "a computed property of \(type(of: keyPath).rootType)" : text
        self.reason = reason
    }
}
