internal import SidingChain
internal import SidingJSON

extension Placeholders {
    /// The body as text with its placeholders filled; nil for an empty form.
    func filled(_ body: SearchBody, _ encoding: QueryEncoding) -> String? {
        switch body.encoding {
        case .json: return String(decoding: json(body.members).bytes, as: UTF8.self)
        case .form:
            let text = encoding.encode(filled(body.members))
            return text.isEmpty ? nil : text
        }
    }

    private func json(_ members: [String: QueryValue]) -> JSONDocument {
        JSONDocument(object: members.compactMapValues(json))
    }

    /// The value as JSON; nil if one of its placeholders has no value.
    private func json(_ value: QueryValue) -> JSONDocument? {
        switch value {
        case .string(let text): number(text) ?? filled(text).map(JSONDocument.init(string:))
        case .int(let number): JSONDocument(integer: number)
        case .double(let number): (try? JSONDocument(number.description)) ?? .null
        case .bool(let truth): JSONDocument(bool: truth)
        case .array(let values): JSONDocument(array: values.compactMap(json))
        case .object(let members): json(members)
        case .null: .null
        }
    }

    /// The number for a string that is only a placeholder; nil if the cursor is no number.
    private func number(_ text: String) -> JSONDocument? {
        guard isNumber, let value = text == "{cursor}" ? cursor : text == "{until}" ? until : nil,
            let document = try? JSONDocument(value), document.kind == .number
        else { return nil }
        return document
    }
}

extension SearchBody {
    /// The body before placeholders are filled, in a form that compares byte for byte.
    var text: String { Placeholders(cursor: "{cursor}", until: "{until}").filled(self, QueryEncoding()) ?? "" }
}
