// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingJSON

/// A value in the body of a log-in.
public indirect enum LoginValue: Sendable {
    /// Text that is read when the log-in is sent; plain text too is a ``Secret``.
    case secret(Secret)
    /// A JSON number, or its digits in a form.
    case integer(Int64)
    /// `true` or `false`.
    case truth(Bool)
    /// A JSON object; in a form its members are fields named `user[name]`.
    case members([String: LoginValue])

    var secrets: [Secret] {
        switch self {
        case .secret(let secret): [secret]
        case .integer, .truth: []
        case .members(let members): members.sorted { $0.key < $1.key }.flatMap(\.value.secrets)
        }
    }

    /// The value as JSON; reads its secrets.
    func json() async throws(Failure) -> [UInt8] {
        var json = JSONWriter()
        try await write(to: &json)
        return json.bytes
    }

    private func write(to json: inout JSONWriter) async throws(Failure) {
        switch self {
        case .secret(let secret): json.string(try await secret.read())
        case .integer(let number): json.integer(number)
        case .truth(let truth): json.bool(truth)
        case .members(let members):
            json.beginObject()
            for (name, value) in members.sorted(by: { $0.key < $1.key }) {
                json.name(name)
                try await value.write(to: &json)
            }
            json.endObject()
        }
    }

    /// The value as form fields; reads its secrets. Nested members are named `user[name]`.
    func fields(named name: String = "") async throws(Failure) -> [String: String] {
        switch self {
        case .secret(let secret): return [name: try await secret.read()]
        case .integer(let number): return [name: String(number)]
        case .truth(let truth): return [name: String(truth)]
        case .members(let members):
            var fields: [String: String] = [:]
            for (member, value) in members {
                let inner = try await value.fields(named: name.isEmpty ? member : "\(name)[\(member)]")
                fields.merge(inner) { first, _ in first }
            }
            return fields
        }
    }
}
