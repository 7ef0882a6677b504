// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import SidingChain

extension ValueType where Value == HTTPField.Name {
    /// The name of a header field (RFC 9110 §5.1).
    static let headerName: ValueType = ValueType<String>.text("the name of a header field such as X-API-Key")
        .map { text, node, reading in
            reading.headerName(text, at: node.place)
        }
}

extension ValueType where Value == HTTPFields {
    /// Header fields of every request to a source.
    static let headers: ValueType = ValueType<[NamedMember<String>]>
        .map(of: .text("the text of the header field"), "a map of header fields")
        .map { members, _, reading in
            let secrets = "'auth', with the secret as { env: NAME }, { file: PATH } or { command: [PROGRAM] }"
            return reading.headers(members, secretsAs: secrets, plainText: \.self)
                .reduce(into: [:]) { fields, header in fields[header.name] = header.value }
        }
}

extension Reading {
    /// Fields about the transfer of messages, which only the transport sets (RFC 9110 §7.6.1, RFC 9112 §6).
    private static let transportFields: Set<String> = [
        "connection", "content-length", "host", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade",
    ]

    /// Checks the name of a header field; nil after noting a fault.
    mutating func headerName(_ text: String, at place: Place) -> HTTPField.Name? {
        guard let name = HTTPField.Name(text) else {
            let message = "\(Subject.quoted(text))\(subject.inOwner) is not a name of a header field"
            fault(message, at: place, expected: "letters, digits and dashes such as X-API-Key")
            return nil
        }
        guard !Self.transportFields.contains(name.canonicalName) else {
            let message = "the header field \(Subject.quoted(text))\(subject.inOwner) is set by the transport alone"
            fault(message, at: place)
            return nil
        }
        return name
    }

    /// Checks header fields: each has a valid name and value, is given once, and is no secret in plain text.
    ///
    /// - Parameters:
    ///   - secretsAs: where secrets belong instead.
    ///   - plainText: the text of a value; nil for a reference to a secret.
    mutating func headers<Value>(
        _ members: [NamedMember<Value>], secretsAs expected: String, plainText: (Value) -> String?
    ) -> [(name: HTTPField.Name, value: Value)] {
        var headers: [(name: HTTPField.Name, value: Value)] = []
        for member in members {
            guard let name = headerName(member.name, at: member.place) else { continue }
            let field = "the header field \(Subject.quoted(member.name))\(subject.inOwner)"
            let text = plainText(member.value)
            if text != nil, SecretNames.isSecret(headerName: member.name) {
                fault("\(field) is a secret, which this file never holds", at: member.place, expected: expected)
            } else if headers.contains(where: { $0.name == name }) {
                fault("\(field) is given twice, in different spellings", at: member.place)
            } else if let text, !HTTPField.isValidValue(text) {
                fault("\(field) holds a line break or another control character", at: member.place)
            } else {
                headers.append((name, member.value))
            }
        }
        return headers
    }
}
