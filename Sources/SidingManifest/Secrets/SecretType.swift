// SPDX-License-Identifier: Apache-2.0
internal import Siding
internal import SidingCredentials
internal import SidingNotifications

extension ValueType where Value == Secret {
    static let howSecretsAreWritten = "{ env: NAME }, { file: PATH } or { command: [PROGRAM, ARGUMENT, …] }"

    /// A secret by reference. The fault for a literal does not quote it.
    static let secret = ValueType(howSecretsAreWritten, schema: secretSchema) { node, reading in
        guard case .map(let entries) = node.content else {
            guard !node.isNull else { return reading.refuse(node, expected: howSecretsAreWritten) }
            reading.fault(
                "\(reading.subject) is a literal; this file never holds a secret, only where to find it",
                at: node.place,
                expected: howSecretsAreWritten)
            return nil
        }
        return shape.read(entries, place: node.place, &reading)
    }

    /// A secret by reference, or plain text for values that need not be secret, such as a user name.
    static let secretOrText = ValueType(
        "text, or \(howSecretsAreWritten)", schema: ["anyOf": [.anyScalar, secretSchema]]
    ) {
        node, reading in
        guard case .scalar = node.content else { return secret.read(node, &reading) }
        let subject = "\(reading.subject)"
        return ValueType<String>.text("text").read(node, &reading).map { text in Secret(plain: text, subject) }
    }

    /// The password of Basic credentials. Some origins want an empty one, which is then left out of the config.
    static let password = ValueType(howSecretsAreWritten, schema: secretSchema) { node, reading in
        let advice = "leave 'password' out where it is to be empty"
        guard case .scalar(let text, _) = node.content, text.isEmpty, !node.isNull else {
            return reading.withEmptiness("it is empty; \(advice)") { secret.read(node, &$0) }
        }
        reading.fault(
            "\(reading.subject) is empty text", at: node.place, expected: "\(howSecretsAreWritten); \(advice)")
        return nil
    }

    private static let env = Keyword("env", .variableName, "An environment variable.")
    private static let file = Keyword(
        "file", ValueType<String>.text("the path of a file"),
        "A file; a relative path starts at this file's directory, ~/ at the home directory. One trailing line break is cut."
    )
    private static let command = Keyword(
        "command", ValueType<[String]>.list(of: .text("text"), "a list such as [vault, read, token]"),
        "A program and its arguments, run without a shell; its standard output less one trailing line break. Ten seconds."
    )

    private static let shape = Shape<Secret>([env.entry, file.entry, command.entry]) { object, reading in
        let places = [env.name, file.name, command.name].compactMap { object.entry($0)?.place }
        guard places.count == 1 else {
            if let second = places.dropFirst().first {
                reading.fault(
                    "\(reading.subject) is given twice", at: second, expected: "one of \(howSecretsAreWritten)")
            } else {
                reading.fault("\(reading.subject) names no secret", at: object.place, expected: howSecretsAreWritten)
            }
            return nil
        }
        return reference(object, &reading).map { reading.secret($0, at: object.place) }
    }

    /// A program that prints a token: like a secret's `command`, without the map around it.
    static let program = ValueType(command.type.expected, schema: command.type.schema) { node, reading in
        command.type.read(node, &reading).flatMap { words in
            let located = Located(value: words, place: node.place, subject: reading.subject)
            return reference(located, &reading).map { reading.secret($0, at: node.place) }
        }
    }

    private static func reference(_ object: ObjectReader, _ reading: inout Reading) -> SecretReference? {
        if let name = object.value(env, &reading) { return .environment(name) }
        if let path = object.located(file, &reading) {
            return reading.absolute(path).map { .file(path: $0, shown: path.value) }
        }
        return object.located(command, &reading).flatMap { reference($0, &reading) }
    }

    private static func reference(_ words: Located<[String]>, _ reading: inout Reading) -> SecretReference? {
        reading.program(words).map { .command($0) }
    }

    private static let secretSchema: SchemaValue = [
        "description": .string("A secret by reference: \(howSecretsAreWritten)"),
        "type": "object", "minProperties": 1, "maxProperties": 1, "additionalProperties": false,
        "properties": [
            "env": env.entry.property, "file": file.entry.property, "command": command.entry.property,
        ],
    ]
}

extension ValueType where Value == String {
    /// The name of an environment variable by POSIX (XBD §8.1), including lower case. Faults do not quote an invalid name, as it
    /// may be the secret itself.
    static let variableName = ValueType(
        "the name of an environment variable such as TRACKER_TOKEN",
        schema: SchemaValue.anyScalar.adding([("pattern", "^[A-Za-z_][A-Za-z0-9_]*$")])
    ) { node, reading in
        let expected = "the name of an environment variable such as TRACKER_TOKEN"
        guard let text = node.text else { return reading.refuse(node, expected: expected) }
        if text.wholeMatch(of: /[A-Za-z_][A-Za-z0-9_]*/) != nil { return text }
        let bare = text.wholeMatch(of: /\$\{?([A-Z_][A-Z0-9_]*)\}?/).map { String($0.output.1) }
        let message = "\(reading.subject) is not a name of an environment variable"
        reading.fault(message, at: node.place, expected: expected, suggestion: bare)
        return nil
    }
}

extension Reading {
    /// Makes a path of the config absolute; nil after noting a fault.
    mutating func absolute(_ path: Located<String>) -> String? {
        if let absolute = environment.absolute(path.value, in: directory) { return absolute }
        let message = "\(path.subject) begins with ~/, but this user has no home directory"
        fault(message, at: path.place, expected: "an absolute path")
        return nil
    }

    /// A program and its arguments; nil after noting a fault. A name without a slash is searched in PATH.
    mutating func program(_ words: Located<[String]>) -> Program? {
        guard let name = words.value.first else { return nil }
        let path = Located(value: name, place: words.place, subject: words.subject)
        guard let resolved = name.contains("/") ? absolute(path) : name else { return nil }
        return Program(resolved, arguments: Array(words.value.dropFirst()), directory: directory)
    }
}
