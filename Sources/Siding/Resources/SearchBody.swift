// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
public import SidingChain
internal import SidingJSON
internal import SidingPaging

/// The body of a search: the members of a POST's body, before pagination parameters are set.
///
/// A POST that lists is a read: it is retried and retained like a GET.
package struct SearchBody: Sendable, Hashable {
    /// In a string, `{cursor}` and `{until}` stand for the cursor range. A string that is only `{cursor}` becomes a number if
    /// the cursor is one. A member whose placeholder has no value is left out.
    package var members: [String: QueryValue]
    package var encoding: Encoding

    /// The encoding of the body.
    package enum Encoding: String, Sendable, Codable, CaseIterable {
        case json
        /// Like an HTML form, with nested members as `filter[status]`.
        case form

        /// The media type of the encoding.
        package var mediaType: String {
            switch self {
            case .json: "application/json"
            case .form: "application/x-www-form-urlencoded"
            }
        }
    }

    package init(_ members: [String: QueryValue] = [:], encoding: Encoding = .json) {
        (self.members, self.encoding) = (members, encoding)
    }
}

extension AnyResource {
    /// The body before placeholders are filled: the declared one, or an empty one if pagination parameters go into it.
    var searchBody: SearchBody? { body ?? (paging.usesBody ? SearchBody() : nil) }

    /// The media type of page requests; nil if they have no body.
    package var bodyType: String? {
        searchBody.map { body in
            // The source's own JSON media type takes precedence, such as application/vnd.api+json.
            let own = body.encoding == .json ? source.headerFields[.contentType] : nil
            return own ?? body.encoding.mediaType
        }
    }

    /// Whether pages are requested conditionally: only for GET (RFC 9110 §13.1), and if enabled.
    var asksConditionally: Bool { isConditional && method == .get }
}

/// The values for `{cursor}`, `{until}` and a parent's bound names in a query.
struct Placeholders: Sendable, Hashable {
    var cursor: String?
    var until: String?
    /// Whether cursor values are numbers, so that a placeholder alone in a JSON body becomes a number.
    var isNumber = false
    /// The values of other names; an unknown placeholder stays as it is.
    var bound: [String: String] = [:]

    /// The query with its placeholders filled. A parameter whose placeholder has no value is left out.
    func filled(_ query: [String: QueryValue]) -> [String: QueryValue] { query.compactMapValues(filled) }

    private func filled(_ value: QueryValue) -> QueryValue? {
        switch value {
        case .string(let text): filled(text).map(QueryValue.string)
        case .array(let values): .array(values.compactMap(filled))
        case .object(let members): .object(members.compactMapValues(filled))
        case .int, .double, .bool, .null: value
        }
    }

    /// The text with its placeholders filled; nil if one of them has no value.
    func filled(_ text: String) -> String? {
        // In one pass, so that braces in a value are no placeholders.
        var (filled, rest) = ("", text[...])
        while let match = rest.firstMatch(of: Self.pattern) {
            let name = String(match.output.1)
            filled += rest[..<match.range.lowerBound]
            switch name {
            case "cursor", "until":
                guard let value = name == "cursor" ? cursor : until else { return nil }
                filled += value
            default: filled += bound[name] ?? String(match.output.0)
            }
            rest = rest[match.range.upperBound...]
        }
        return filled + rest
    }

    private static var pattern: Regex<(Substring, Substring)> { /\{([A-Za-z_][A-Za-z0-9_]*)\}/ }
}

extension AnyResource {
    /// Whether its requests contain `{until}`, the end of a cursor range.
    package var asksUntil: Bool {
        query.values.contains { $0.holds("{until}") } || body?.text.contains("{until}") ?? false
    }
}

extension QueryValue {
    /// Whether it contains `placeholder` anywhere.
    public func holds(_ placeholder: String) -> Bool {
        switch self {
        case .string(let text): text.contains(placeholder)
        case .array(let values): values.contains { $0.holds(placeholder) }
        case .object(let members): members.values.contains { $0.holds(placeholder) }
        case .int, .double, .bool, .null: false
        }
    }
}

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

    /// The number for a string that is only a placeholder; nil if the cursor is not a number.
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

/// The body of one page request as text, in which pagination parameters are set.
struct PageBody {
    let text: String
    let encoding: SearchBody.Encoding

    /// The body with the member at `path` set to `value`; all else stays byte for byte.
    func setting(_ path: JSONPath, to value: EnvelopeScalar) throws(Failure) -> String {
        guard let names = path.memberNames else {
            throw Failure(.invalidRequest, phase: .notSent, detail: "\(path) is not a place in a body that can be set")
        }
        switch encoding {
        case .json: return try setting(names, to: value.json)
        case .form: return setting(names, to: try value.text(as: "a field of a form"))
        }
    }

    private func setting(_ names: [String], to value: JSONDocument) throws(Failure) -> String {
        do throws(DocumentFault) {
            let body = text.isEmpty ? JSONDocument.emptyObject : try JSONDocument(text)
            return String(decoding: body.setting(names, to: value).bytes, as: UTF8.self)
        } catch {
            throw Failure(.invalidRequest, phase: .notSent, detail: "the body of the page before is no JSON: \(error)")
        }
    }

    private func setting(_ names: [String], to value: String) -> String {
        let name = names.dropFirst().reduce(names.first ?? "") { "\($0)[\($1)]" }
        let kept = QueryParameter.all(in: text).filter { $0.name != name }.map { String($0.text) }
        return (kept + ["\(QueryEncoding.escape(name))=\(QueryEncoding.escape(value))"]).joined(separator: "&")
    }
}
