// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingCredentials
internal import SidingNotifications

/// Addresses and header fields of hooks. Both may be secrets: who knows the address of a chat's hook can write there.
enum HookAddressType {
    private static let expected =
        "a URL such as https://ntfy.sh/my-topic, or \(ValueType<Secret>.howSecretsAreWritten)"

    /// A URL, or the reference of a secret that is one.
    static let address = ValueType<Secret>(
        expected, schema: ["anyOf": [.anyScalar, ValueType<Secret>.secret.schema]]
    ) { node, reading in
        guard case .scalar = node.content, !node.isNull else { return ValueType<Secret>.secret.read(node, &reading) }
        guard let url = ValueType<HTTPURL>.baseURL.read(node, &reading) else { return nil }
        guard url.scheme != "http" || url.isLoopback else {
            reading.fault("\(reading.subject) is not encrypted", at: node.place, expected: "https")
            return nil
        }
        return Secret(plain: url.description, "\(reading.subject)")
    }

    static let headers = ValueType<[NamedMember<Secret>]>.map(of: .secretOrText, "a map of header fields")
        .map { members, _, reading in
            reading.headers(members, secretsAs: ValueType<Secret>.howSecretsAreWritten, plainText: \.plainText)
                .map { NotificationHook.Header($0.name, $0.value) }
        }
}
