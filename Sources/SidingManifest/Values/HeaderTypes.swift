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
            var fields: HTTPFields = [:]
            for member in members {
                guard let name = reading.headerName(member.name, at: member.place) else { continue }
                reading.addHeader(name, member, to: &fields)
            }
            return fields
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
            let message = "\(Subject.quoted(text))\(subject.inOwner) is no name of a header field"
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

    fileprivate mutating func addHeader(
        _ name: HTTPField.Name, _ member: NamedMember<String>, to fields: inout HTTPFields
    ) {
        let shown = Subject.quoted(member.name)
        if SecretNames.isSecret(headerName: member.name) {
            fault(
                "the header field \(shown)\(subject.inOwner) is a secret, which this file never holds",
                at: member.place,
                expected: "'auth', with the secret as { env: NAME }, { file: PATH } or { command: [PROGRAM] }")
        } else if fields[name] != nil {
            fault(
                "the header field \(shown)\(subject.inOwner) is given twice, in different spellings", at: member.place)
        } else if HTTPField.isValidValue(member.value) {
            fields[name] = member.value
        } else {
            fault(
                "the header field \(shown)\(subject.inOwner) holds a line break or another control character",
                at: member.place)
        }
    }
}
