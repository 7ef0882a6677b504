// SPDX-License-Identifier: Apache-2.0
package import SidingChain
package import SidingJSON

/// A value of the envelope.
package enum EnvelopeScalar: Sendable, Hashable {
    /// The decoded text of a string.
    case text(String)
    /// The digits of a number, unchanged.
    case number(String)
    case bool(Bool)
    /// An array or object, unchanged.
    case structure(JSONDocument)

    /// The value, if it can be a pagination token.
    package var token: EnvelopeScalar? {
        switch self {
        case .text(let text): text.isEmpty ? nil : self
        case .number, .structure: self
        case .bool: nil
        }
    }

    /// The URL of an object that names one, else the value; nil if that URL is null.
    var reference: EnvelopeScalar? {
        guard case .structure(let value) = self, let members = value.members,
            let url = members.first(where: { ["href", "url", "uri", "link"].contains($0.name) })?.value
        else { return self }
        if url.kind == .null { return nil }
        return url.string.map(EnvelopeScalar.text) ?? self
    }

    /// - Returns: nil for null.
    /// - Throws: a contract failure if no request can repeat the value, such as half of a surrogate pair.
    package init?(_ value: EnvelopeValue, in page: UnsafeRawBufferPointer) throws(Failure) {
        switch value.kind {
        case .string:
            guard let text = value.string(in: page) else {
                throw Failure(
                    .contract, phase: .answered,
                    detail: "the reference to the next page holds half of a surrogate pair")
            }
            self = .text(text)
        case .number: self = .number(String(decoding: page[value.range], as: UTF8.self))
        case .true: self = .bool(true)
        case .false: self = .bool(false)
        case .object, .array:
            do throws(DocumentFault) { self = .structure(try JSONDocument(Array(page[value.range]))) } catch {
                throw Failure(.contract, phase: .answered, detail: "the reference to the next page: \(error)")
            }
        case .null: return nil
        }
    }
}

extension EnvelopeScalar {
    /// The value for a JSON body: a string stays a string, a number keeps its digits.
    package var json: JSONDocument {
        switch self {
        case .text(let text): JSONDocument(string: text)
        case .number(let digits): (try? JSONDocument(digits)) ?? JSONDocument(string: digits)
        case .bool(let truth): JSONDocument(bool: truth)
        case .structure(let value): value
        }
    }

    /// The value as text.
    ///
    /// - Throws: a contract failure for an array or object.
    package func text(as place: String) throws(Failure) -> String {
        switch self {
        case .text(let text), .number(let text): return text
        case .bool(let truth): return String(truth)
        case .structure(let value):
            let kind = value.kind == .array ? "an array" : "an object"
            throw Failure(
                .contract, phase: .answered,
                detail: "the reference to the next page is \(kind), which \(place) cannot carry")
        }
    }

    /// The value for a message.
    package var message: String {
        switch self {
        case .text(let text): "'\(PlainText.oneLine(text, limit: 60))'"
        case .number(let digits): PlainText.oneLine(digits, limit: 60)
        case .bool(let truth): String(truth)
        case .structure(let value): value.kind == .array ? "an array" : "an object"
        }
    }
}
