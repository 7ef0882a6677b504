// SPDX-License-Identifier: Apache-2.0
internal import Siding
internal import SidingCredentials

extension ValueType where Value == LoginValue {
    /// The body of a log-in request.
    static let login: ValueType = ValueType(
        "a map such as { user: ada, password: { env: NAME } }", schema: ["$ref": "#/$defs/login"]
    ) { node, reading in
        guard case .map = node.content else {
            return reading.refuse(node, expected: "a map such as { user: ada, password: { env: NAME } }")
        }
        return value.read(node, &reading)
    }

    private static let value: ValueType = ValueType(
        "text, a number, true, false, a secret or a map", schema: ["$ref": "#/$defs/login_value"]
    ) { node, reading in
        switch node.content {
        case .map(let entries) where isSecret(entries):
            return ValueType<Secret>.secret.read(node, &reading).map(LoginValue.secret)
        case .map:
            return members.read(node, &reading)
        case .scalar(let text, let isPlain) where isPlain && !node.isNull:
            if let number = Int64(text), String(number) == text { return .integer(number) }
            if text == "true" || text == "false" { return .truth(text == "true") }
        default: break
        }
        return ValueType<Secret>.secretOrText.read(node, &reading).map(LoginValue.secret)
    }

    private static func isSecret(_ entries: [YAMLEntry]) -> Bool {
        entries.count == 1 && ["env", "file", "command"].contains(entries[0].name)
    }

    private static let members = ValueType<[NamedMember<LoginValue>]>
        .map(of: value, "a map of one or more members", atLeast: 1)
        .map { members, _, reading -> LoginValue? in
            for member in members where member.value.isLiteral && SecretNames.isSecret(queryName: member.name) {
                reading.refuseLiteral(member.name, at: member.place)
            }
            return .members(members.byName())
        }

    /// The JSON Schemas that ``login`` refers to, which refer to each other.
    static let loginSchemas: [(String, SchemaValue)] = [
        (
            "login",
            [
                "description": "The body of a log-in.", "type": "object", "minProperties": 1,
                "additionalProperties": ["$ref": "#/$defs/login_value"],
            ]
        ),
        (
            "login_value",
            [
                "description": "Text, a number, true, false, a secret by reference, or a map of these.",
                "anyOf": [.anyScalar, ValueType<Secret>.secret.schema, ["$ref": "#/$defs/login"]],
            ]
        ),
    ]
}

extension LoginValue {
    /// Whether the value is written in the config itself.
    fileprivate var isLiteral: Bool {
        switch self {
        case .secret(let secret): secret.isPlain
        case .integer, .truth: true
        case .members: false
        }
    }
}
