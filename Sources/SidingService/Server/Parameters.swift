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
        else { throw ServiceProblem.usage("the address is not encoded properly") }
        return decoded
    }

    /// - Throws: ``ServiceProblem`` if there is a parameter of another name.
    func check(_ names: String...) throws {
        for pair in pairs where !names.contains(pair.name) {
            throw ServiceProblem.usage(
                "there is no parameter '\(pair.name.prefix(100))' here",
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

    /// How many rows an answer may have at most, whatever is asked for.
    static let mostRows = 1_000

    func limit(usual: Int = 100) throws -> Int {
        guard let text = try value("limit") else { return usual }
        guard let limit = Int(text), (1...Self.mostRows).contains(limit) else {
            throw ServiceProblem.usage("'limit' is a number from 1 to \(Self.mostRows)")
        }
        return limit
    }

    /// Reads each value of `name` with `read`.
    func values<Value>(_ name: String, _ allowed: [String], _ read: (String) -> Value?) throws -> [Value] {
        try values(name).map { text in
            guard let value = read(text) else {
                throw ServiceProblem.usage(
                    "'\(text.prefix(100))' is no \(name)", hint: "it may be: \(allowed.joined(separator: ", "))")
            }
            return value
        }
    }
}
