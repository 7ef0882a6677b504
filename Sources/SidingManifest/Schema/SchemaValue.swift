// SPDX-License-Identifier: Apache-2.0
internal import SidingJSON

/// A JSON value whose members keep their order, for the JSON Schema of the config.
enum SchemaValue: Sendable, Equatable {
    case string(String)
    case integer(Int)
    case number(Double)
    case bool(Bool)
    case list([SchemaValue])
    case object([Member])

    struct Member: Sendable, Equatable {
        let name: String
        let value: SchemaValue
    }

    /// The types that YAML may give to a scalar that Siding reads as text.
    static let anyScalar: SchemaValue = ["type": ["string", "number", "boolean"]]

    /// This object with more members, which replace those of the same name; unchanged if it is not an object.
    func adding(_ members: [(String, SchemaValue)]) -> SchemaValue {
        guard case .object(let own) = self else { return self }
        let kept = own.filter { member in !members.contains { $0.0 == member.name } }
        return .object(kept + members.map { Member(name: $0.0, value: $0.1) })
    }
}

extension SchemaValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByFloatLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    init(stringLiteral value: String) { self = .string(value) }
    init(integerLiteral value: Int) { self = .integer(value) }
    init(booleanLiteral value: Bool) { self = .bool(value) }
    init(floatLiteral value: Double) { self = .number(value) }
    init(arrayLiteral elements: SchemaValue...) { self = .list(elements) }
    init(dictionaryLiteral elements: (String, SchemaValue)...) {
        self = .object(elements.map { Member(name: $0.0, value: $0.1) })
    }
}

extension SchemaValue {
    /// The value as indented JSON text.
    var json: String {
        var text = ""
        write(to: &text, indentation: "")
        return text
    }

    private func write(to text: inout String, indentation: String) {
        switch self {
        case .string(let value): text += Self.quoted(value)
        case .integer(let value): text += String(value)
        case .number(let value): text += String(value)
        case .bool(let value): text += value ? "true" : "false"
        case .list(let values):
            Self.writeGroup("[", "]", values, to: &text, indentation) { value, text, inner in
                value.write(to: &text, indentation: inner)
            }
        case .object(let members):
            Self.writeGroup("{", "}", members, to: &text, indentation) { member, text, inner in
                text += Self.quoted(member.name) + ": "
                member.value.write(to: &text, indentation: inner)
            }
        }
    }

    private static func writeGroup<Element>(
        _ open: String, _ close: String, _ elements: [Element], to text: inout String, _ indentation: String,
        _ writeElement: (Element, inout String, String) -> Void
    ) {
        guard !elements.isEmpty else {
            text += open + close
            return
        }
        let inner = indentation + "  "
        text += open
        for (index, element) in elements.enumerated() {
            text += (index == 0 ? "\n" : ",\n") + inner
            writeElement(element, &text, inner)
        }
        text += "\n" + indentation + close
    }

    private static func quoted(_ string: String) -> String {
        var writer = JSONWriter()
        writer.string(string)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
