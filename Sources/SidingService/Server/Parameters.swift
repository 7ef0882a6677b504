// SPDX-License-Identifier: Apache-2.0
internal import SidingSynchronization

/// The decoded parameters of a query or a form, in their order.
struct Parameters: Sendable {
    var pairs: [(name: String, value: String)] = []

    /// - Parameter text: `application/x-www-form-urlencoded`, as in `a=1&b=two+words`.
    init(_ text: some StringProtocol) throws {
        for part in text.split(separator: "&") {
            let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = try Self.decoded(halves[0], plus: " ")
            pairs.append((name, halves.count > 1 ? try Self.decoded(halves[1], plus: " ") : ""))
        }
    }

    /// `text` decoded once.
    ///
    /// - Throws: ``ServiceProblem`` for a `%` without two hexadecimal digits, for invalid UTF-8 and for NUL.
    static func decoded(_ text: some StringProtocol, plus: Unicode.Scalar = "+") throws -> String {
        let bytes = PercentCoding.decode(text.utf8, plus: UInt8(ascii: plus))
        // The decoder keeps a `%` that encodes nothing.
        let codes = text.utf8.count { $0 == UInt8(ascii: "%") }
        guard text.utf8.count - bytes.count == 2 * codes, !bytes.contains(0),
            let decoded = String(validating: bytes, as: UTF8.self)
        else { throw ServiceProblem.usage("the address or the form is not encoded properly") }
        return decoded
    }

    /// - Throws: ``ServiceProblem`` if there is a parameter of another name.
    func check(_ names: String...) throws {
        for pair in pairs where !names.contains(pair.name) {
            throw ServiceProblem.usage(
                "the parameter '\(pair.name.prefix(100))' is not known here",
                hint: names.isEmpty ? "this address takes none" : "it takes: \(names.joined(separator: ", "))")
        }
    }

    func values(_ name: String) -> [String] { pairs.filter { $0.name == name }.map(\.value) }

    /// - Throws: ``ServiceProblem`` if it is given twice.
    func value(_ name: String) throws -> String? {
        let values = values(name)
        guard values.count < 2 else { throw ServiceProblem.usage("'\(name)' may be given once") }
        return values.first
    }

    /// The value of `name`; nil also if it is empty, as in a form that was sent unfilled.
    func filled(_ name: String) throws -> String? { try value(name).flatMap { $0.isEmpty ? nil : $0 } }

    /// How many rows an answer may have at most, whatever is asked for.
    static let mostRows = 1_000

    func limit(usual: Int = 100) throws -> Int {
        guard let text = try value("limit") else { return usual }
        guard let limit = Int(text), (1...Self.mostRows).contains(limit) else {
            throw ServiceProblem.usage("'limit' is a number from 1 to \(Self.mostRows)")
        }
        return limit
    }

    func number(_ name: String) throws -> Int64? {
        guard let text = try filled(name) else { return nil }
        guard let number = Int64(text) else {
            throw ServiceProblem.usage("'\(name)' is a number, not '\(text.prefix(100))'")
        }
        return number
    }

    /// Whether it is `true`.
    func flag(_ name: String) throws -> Bool {
        guard let text = try filled(name) else { return false }
        guard let flag = Bool(text) else { throw ServiceProblem.usage("'\(name)' is true or false") }
        return flag
    }

    func choice<Value: Choice>(_ name: String, of _: Value.Type) throws -> Value? {
        try filled(name).map { try Self.choice($0, name) }
    }

    /// - Throws: ``ServiceProblem`` if it is missing.
    func required<Value: Choice>(_ name: String, of type: Value.Type) throws -> Value {
        guard let value = try choice(name, of: type) else {
            throw ServiceProblem.usage("'\(name)' is missing", hint: Self.allowed(type))
        }
        return value
    }

    func choices<Value: Choice>(_ name: String, of _: Value.Type) throws -> [Value] {
        try values(name).map { try Self.choice($0, name) }
    }

    /// Values of which a parameter has one, by their texts.
    typealias Choice = RawRepresentable<String> & CaseIterable

    private static func choice<Value: Choice>(_ text: String, _ name: String) throws -> Value {
        guard let value = Value(rawValue: text) else {
            throw ServiceProblem.usage("'\(text.prefix(100))' is no '\(name)'", hint: allowed(Value.self))
        }
        return value
    }

    private static func allowed<Value: Choice>(_: Value.Type) -> String {
        "it may be: \(Value.allCases.map(\.rawValue).joined(separator: ", "))"
    }
}
