internal import SidingChain
internal import SidingJSON

/// The body of one page request as text, in which pagination parameters are set.
struct PageBody {
    let text: String
    let encoding: SearchBody.Encoding

    /// The body with the member at `path` set to `value`; all else stays byte for byte.
    func setting(_ path: JSONPath, to value: EnvelopeScalar) throws(Failure) -> String {
        guard let names = path.memberNames else {
            throw Failure(.invalidRequest, phase: .notSent, detail: "\(path) is no place in a body that can be set")
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

extension EnvelopeScalar {
    /// The value for a JSON body: a string stays a string, a number keeps its digits.
    var json: JSONDocument {
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
    func text(as place: String) throws(Failure) -> String {
        switch self {
        case .text(let text), .number(let text): return text
        case .bool(let truth): return String(truth)
        case .structure(let value):
            let kind = value.kind == .array ? "an array" : "an object"
            throw Failure(
                .contract, phase: .answered, detail: "the way to the next page is \(kind), which \(place) cannot carry")
        }
    }
}
