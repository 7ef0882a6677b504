// SPDX-License-Identifier: Apache-2.0
public import HTTPTypes
public import SidingChain
internal import SidingJSON

/// Sets the fields of a header object on each request, replacing those of the same name.
///
/// For fields that must not replace the request's own, use `HeaderInjectorNode`.
public struct HeaderObjectNode<Header: Encodable & Sendable>: Node {
    private let header: Header

    /// A node that applies `header`; see `HTTPFields(headerObject:)` for the allowed types.
    public init(_ header: Header) {
        self.header = header
    }

    public func process(_ input: RequestDraft, _ context: ChainContext) async throws(Failure) -> RequestDraft {
        do throws(Failure) {
            var draft = input
            for field in try HTTPFields(headerObject: header) { draft.headerFields[field.name] = field.value }
            return draft
        } catch {
            let route = input.route
            throw error.at(node: name, method: route.method.rawValue, url: Redaction.url(route.url))
        }
    }
}

/// Declares that a request carries JSON and accepts JSON.
public struct JSONRequestHeaderFields: Encodable, Sendable, Hashable {
    let accept = "application/json"
    let contentType = "application/json"

    /// Fields with fixed values, for a ``HeaderObjectNode``.
    public init() {}

    private enum CodingKeys: String, CodingKey {
        case accept = "Accept"
        case contentType = "Content-Type"
    }
}

/// Declares that a request carries an encoded form and accepts JSON.
public struct FormRequestHeaderFields: Encodable, Sendable, Hashable {
    let accept = "application/json"
    let contentType = "application/x-www-form-urlencoded"

    /// Fields with fixed values, for a ``HeaderObjectNode``.
    public init() {}

    private enum CodingKeys: String, CodingKey {
        case accept = "Accept"
        case contentType = "Content-Type"
    }
}

extension HTTPFields {
    /// The fields of an `Encodable` header object, sorted by name: `CodingKeys` name the fields.
    ///
    /// Texts, numbers and Booleans (`true`, `false`) are written directly, a `Date` as an HTTP date (RFC 9110 §5.6.7). A nil member
    /// has no field.
    ///
    /// - Throws: `Failure.Reason.invalidRequest` if `value` is not a flat object, a name is not a valid field name or occurs
    ///   twice, or a value has characters that fields may not have. The failure names the field, never its value.
    public init<Value: Encodable>(headerObject value: Value) throws(Failure) {
        try self.init(
            QueryValueEncoder(dates: .httpDate).members(of: value, for: "header fields"), of: "\(Value.self)")
    }

    /// The fields of `members`, sorted by name.
    ///
    /// - Parameter owner: names the origin of the members in failures.
    /// - Throws: `Failure.Reason.invalidRequest` as ``init(headerObject:)``.
    init(_ members: [String: QueryValue], of owner: String) throws(Failure) {
        self.init()
        for (key, member) in members.sorted(by: { $0.key < $1.key }) {
            guard let name = HTTPField.Name(key) else {
                throw Self.refusal(owner, "'\(PlainText.oneLine(key, limit: 100))' is not a name of a field")
            }
            guard let text = try Self.text(member, key, owner) else { continue }
            guard self[name] == nil else {
                throw Self.refusal(owner, "the field '\(key)' stands twice, as case makes no difference")
            }
            self[name] = text
        }
    }

    private static func text(_ value: QueryValue, _ key: String, _ owner: String) throws(Failure) -> String? {
        let text: String
        switch value {
        case .null: return nil
        case .string(let string): text = string
        case .int(let number): text = String(number)
        case .double(let number): text = String(number)
        case .bool(let flag): text = flag ? "true" : "false"
        case .array, .object:
            throw refusal(owner, "the field '\(key)' is \(value.kind), and only single values have a form")
        }
        // Otherwise such a value would be changed silently, or would begin another field.
        guard HTTPField.isValidValue(text) else {
            throw refusal(
                owner, "the value of '\(key)' has a control character, such as a line break, or a space at an end")
        }
        return text
    }

    private static func refusal(_ owner: String, _ why: String) -> Failure {
        Failure(.invalidRequest, phase: .notSent, detail: "\(owner) makes no header fields: \(why)")
    }
}
