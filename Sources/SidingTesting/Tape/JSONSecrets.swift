// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingJSON

/// Removes the well-known secrets from JSON bodies.
enum JSONSecrets {
    /// The body with `mark` in place of each text and number with a secret member name. Unchanged if it has none, or is not
    /// JSON.
    static func hidden(in bytes: [UInt8], by mark: String) -> [UInt8] {
        guard let document = try? JSONDocument(bytes), holdsSecrets(document) else { return bytes }
        return Array(text(document, mark).utf8)
    }

    private static func holdsSecrets(_ document: JSONDocument) -> Bool {
        if let members = document.members {
            return members.contains {
                Redaction.isSecret(memberName: $0.name) && isScalar($0.value) || holdsSecrets($0.value)
            }
        }
        return document.elements?.contains(where: holdsSecrets) ?? false
    }

    private static func isScalar(_ value: JSONDocument) -> Bool { value.string != nil || value.digits != nil }

    private static func text(_ document: JSONDocument, _ mark: String) -> String {
        if let members = document.members {
            let written = members.map { member in
                let isHidden = Redaction.isSecret(memberName: member.name) && isScalar(member.value)
                let value = isHidden ? quoted(mark) : text(member.value, mark)
                return "\(quoted(member.name)):\(value)"
            }
            return "{\(written.joined(separator: ","))}"
        }
        if let elements = document.elements {
            return "[\(elements.map { text($0, mark) }.joined(separator: ","))]"
        }
        return String(decoding: document.bytes, as: UTF8.self)
    }

    private static func quoted(_ text: String) -> String {
        String(decoding: JSONDocument(string: text).bytes, as: UTF8.self)
    }
}
