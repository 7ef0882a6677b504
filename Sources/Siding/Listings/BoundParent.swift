// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingJSON

/// A parent record, with the values that fill the placeholders of its requests.
struct BoundParent: Sendable, Hashable {
    let key: String
    let values: [String: String]
    let listing: ListingParent

    /// - Throws: ``Unbound`` if the record's key is empty, or if it lacks a value that a request needs.
    init(_ parent: Parent, by each: ForEach, pass: Int64?) throws(Unbound) {
        guard !parent.key.isEmpty else { throw Unbound(reason: "its key is empty") }
        var values: [String: String] = [:]
        for (name, path) in each.bindings.sorted(by: { $0.key < $1.key }) {
            values[name] = try Self.value(at: path, of: parent.body, named: name)
        }
        self.values = values
        key = parent.key
        listing = ListingParent(resource: each.resource, revision: parent.revision, pass: pass)
    }

    /// Why no request can be made for a parent.
    struct Unbound: Error, Sendable {
        let reason: String
    }

    private static func value(at path: JSONPath, of body: [UInt8], named name: String) throws(Unbound) -> String {
        let found = body.withUnsafeBytes { body -> Result<String, Unbound> in
            guard let value = JSONMembers.value(at: path, in: body) else {
                return .failure(Unbound(reason: "it has no \(path) for {\(name)}"))
            }
            switch value.kind {
            case .string:
                // A request with an empty value would ask for something else, perhaps for all.
                guard let text = value.string(in: body)?.nonEmpty else {
                    return .failure(Unbound(reason: "\(path), for {\(name)}, is empty"))
                }
                return .success(text)
            case .number, .true, .false: return .success(String(decoding: body[value.range], as: UTF8.self))
            case .null, .object, .array:
                return .failure(
                    Unbound(reason: "\(path), for {\(name)}, is \(value.kind == .null ? "null" : "no scalar")"))
            }
        }
        return try found.get()
    }
}
