// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
public import SidingJSON

/// A delivery probe: a GET below the source's base URL that asks the origin whether a write in doubt arrived.
///
/// Used only for writes that may not simply be sent twice: a POST or PATCH whose key is not honoured, or forgotten by now. It
/// looks for a value that the write itself carried, so that no other write can be mistaken for it.
public struct WriteProbe: Sendable, Hashable, Codable {
    /// What to do with a write if the answer is unclear.
    public enum Fallback: String, Sendable, Hashable, Codable, CaseIterable {
        /// Park it until an operator acts.
        case hold
        /// Send it again; only where a second write does no harm.
        case send
    }

    /// The path below the source's base URL, with an optional query. `{entry}` stands for the entry's id and `{key}` for its
    /// idempotency key; one of them is required. `{id}` stands for the record's id. Each is percent-encoded.
    public var path: String
    /// Where the answer has its records; nil for the root array, the only array of the root object, or the object that carries
    /// the mark.
    public var records: JSONPath?
    /// The member in which the write carries the value that the probe looks for, and in which the origin's record shows it. It
    /// is added to the body when the write is sent. Nil only if the URL's path contains `{key}`: then the key in its header
    /// field is enough.
    public var mark: JSONPath?
    /// The settle delay: for this long after the attempt "it is not there" is not final, as the request may still be on its
    /// way.
    public var after: Duration
    /// Half a minute.
    public static let usualDelay = Duration.seconds(30)
    /// What to do if the answer is unclear.
    public var fallback: Fallback
    /// The record's id, for `{id}` in the path; nil if the path has none.
    public var id: String?
    /// Where the write's body holds the record, and in it the mark; nil if the body is the record.
    public var record: JSONPath?

    /// The parameters are the properties of the same names; ``Siding/send(_:sendsNow:)`` checks whether they fit together.
    public init(
        _ path: String, mark: JSONPath? = nil, records: JSONPath? = nil, after: Duration = usualDelay,
        fallback: Fallback = .hold, id: String? = nil, record: JSONPath? = nil
    ) {
        (self.path, self.records, self.mark) = (path, records, mark)
        (self.after, self.fallback) = (after, fallback)
        (self.id, self.record) = (id, record)
    }

    private enum CodingKeys: String, CodingKey {
        case path, records, mark, after, id, record
        case fallback = "otherwise"
    }

    /// The value that distinguishes the write from all others.
    enum Asked: String, CaseIterable {
        case entry = "{entry}"
        case key = "{key}"
    }

    var asked: Asked { path.contains(Asked.entry.rawValue) ? .entry : .key }

    /// Whether the path of the URL, not its query, names the write: then a 404 means that it did not arrive.
    var isDirect: Bool { path.prefix { $0 != "?" }.contains(asked.rawValue) }

    /// Why the probe is invalid, as the end of a sentence; nil if it is valid.
    package var fault: String? {
        let known = Asked.allCases.map(\.rawValue) + [WriteDeclaration.placeholder]
        let unknown = path.matches(of: /\{[^}]*\}?/).map { String($0.output) }.first { !known.contains($0) }
        if let unknown { return "knows no placeholder '\(PlainText.oneLine(unknown, limit: 40))'" }
        let askedFor = Asked.allCases.filter { path.contains($0.rawValue) }
        guard askedFor.count == 1 else {
            return askedFor.isEmpty
                ? "names neither {entry} nor {key}, so it cannot tell one write from another"
                : "names both {entry} and {key}"
        }
        if mark == nil, !(isDirect && asked == .key) { return "does not say which member carries \(asked.rawValue)" }
        if let mark, mark.memberNames == nil {
            return "has a mark that is not a member of an object"
        }
        return nil
    }
}

extension WriteProbe {
    func value(entry: String, key: String) -> String { asked == .entry ? entry : key }

    func path(entry: String, key: String) -> String {
        path.replacing(Asked.entry.rawValue, with: QueryEncoding.escape(entry))
            .replacing(Asked.key.rawValue, with: QueryEncoding.escape(key))
            .replacing(WriteDeclaration.placeholder, with: QueryEncoding.escape(id ?? ""))
    }

    /// `body` with the mark added. A body that is not an object is returned unchanged; it was refused on acceptance.
    func marked(_ body: [UInt8]?, entry: String, key: String) -> [UInt8]? {
        guard let mark, let body, let document = try? Store.document(body), document.kind == .object else {
            return body
        }
        let mine = JSONDocument(string: value(entry: entry, key: key))
        guard let patch = JSONDocument(nesting: mine, at: self.mark(in: document) ?? mark) else { return body }
        return Array(JSONMergePatch(patch).applied(to: document).bytes)
    }

    /// The path of the mark in `body`: inside of its record.
    func mark(in body: JSONDocument) -> JSONPath? {
        guard let mark, let record, body.value(at: record) != nil else { return mark }
        return record.appending(mark)
    }
}
