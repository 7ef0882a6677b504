// SPDX-License-Identifier: Apache-2.0
/// The type of a key's value: how to read it, what faults call expected, and its JSON Schema.
struct ValueType<Value: Sendable>: Sendable {
    /// Completes "expected …".
    let expected: String
    let schema: SchemaValue
    /// Reads the value; nil after at least one fault was noted.
    let read: @Sendable (YAMLNode, inout Reading) -> Value?

    init(
        _ expected: String, schema: SchemaValue, read: @escaping @Sendable (YAMLNode, inout Reading) -> Value?
    ) {
        (self.expected, self.schema, self.read) = (expected, schema, read)
    }

    /// A scalar that `parse` accepts; for others the fault quotes the text.
    static func scalar(
        _ expected: String, schema: SchemaValue,
        parse: @escaping @Sendable (_ text: String, _ isPlain: Bool) -> ScalarReading<Value>
    ) -> ValueType {
        ValueType(expected, schema: schema) { node, reading in
            guard case .scalar(let text, let isPlain) = node.content, !node.isNull else {
                return reading.refuse(node, expected: expected)
            }
            switch parse(text, isPlain) {
            case .value(let value): return value
            case .refused(let suggestion, let narrower):
                let message = "\(reading.subject) is \(Subject.quoted(text))"
                reading.fault(message, at: node.place, expected: narrower ?? expected, suggestion: suggestion)
                return nil
            }
        }
    }

    /// A scalar, or a map with more to say.
    static func scalar(_ scalar: ValueType, orMap map: ValueType, _ expected: String) -> ValueType {
        ValueType(expected, schema: ["anyOf": [scalar.schema, map.schema]]) { node, reading in
            switch node.content {
            case .map: map.read(node, &reading)
            case .scalar where !node.isNull: scalar.read(node, &reading)
            default: reading.refuse(node, expected: expected)
            }
        }
    }

    /// This type with its values passed through `transform`, which returns nil after noting a fault.
    func map<Other: Sendable>(
        _ transform: @escaping @Sendable (Value, YAMLNode, inout Reading) -> Other?
    ) -> ValueType<Other> {
        ValueType<Other>(expected, schema: schema) { node, reading in
            read(node, &reading).flatMap { transform($0, node, &reading) }
        }
    }
}

/// The result of parsing a scalar.
enum ScalarReading<Value: Sendable>: Sendable {
    case value(Value)
    /// Not accepted; with the spelling that was probably intended, if there is one, and what is expected of such a value where
    /// that is less than the type accepts.
    case refused(suggestion: String?, expected: String? = nil)
}

extension Reading {
    /// Notes that `node` has the wrong kind; always nil, so that a reader can return it.
    mutating func refuse<Value>(_ node: YAMLNode, expected: String) -> Value? {
        let place = node.isNull ? subject.place : node.place
        fault("\(subject) is \(node.kind)", at: place, expected: expected)
        return nil
    }
}
