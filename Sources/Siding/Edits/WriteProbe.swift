internal import SidingChain
public import SidingJSON

/// A question to the origin whether it has a write that may have arrived: a GET below the source's base URL.
///
/// Only what may not simply be sent twice is asked about: a POST or a PATCH whose key is not honoured, or forgotten by now.
/// The question names what the write itself carried, so that no other write can be taken for it.
public struct WriteProbe: Sendable, Hashable {
    /// What becomes of a write where the answer does not tell.
    public enum Otherwise: String, Sendable, Hashable, Codable, CaseIterable {
        /// A person decides.
        case hold
        /// It is sent again: to be had only where twice does no harm.
        case send
    }

    /// Below the source's base URL, with a query where it has one. `{entry}` stands for the entry's id or `{key}` for its
    /// idempotency key: one of them must be there. `{id}` stands for the record's id. Each is percent-encoded.
    public var path: String
    /// Where the answer has its records; nil for the root array, the only array of the root object, or the object that
    /// carries the mark.
    public var records: JSONPath?
    /// The member in which the write's body carries what is asked for, and by which the origin's record is known again.
    /// It is put there when the write is sent. Nil only where a URL path with `{key}` names the write: the key travels in
    /// its header field.
    public var mark: JSONPath?
    /// How long after the try "it is not there" is not believed yet: the request may still be on its way.
    public var after: Duration
    public var otherwise: Otherwise
    /// The record's id, for `{id}`.
    public var id: String?
    /// Where the write's body holds the record, and in it the mark; nil for where it is the record.
    public var record: JSONPath?

    public init(
        _ path: String, mark: JSONPath? = nil, records: JSONPath? = nil, after: Duration = .seconds(30),
        otherwise: Otherwise = .hold, id: String? = nil, record: JSONPath? = nil
    ) {
        self.path = path
        self.records = records
        self.mark = mark
        self.after = after
        self.otherwise = otherwise
        self.id = id
        self.record = record
    }

    /// What tells the write from all others.
    enum Asked: String, CaseIterable {
        case entry = "{entry}"
        case key = "{key}"
    }

    var asked: Asked { path.contains(Asked.entry.rawValue) ? .entry : .key }

    /// Whether the URL's path, rather than its query, names the write: then 404 says that it is not there.
    var isDirect: Bool { path.prefix { $0 != "?" }.contains(asked.rawValue) }

    /// Why the question could not be asked, or its answer not be believed, in words; nil where all is well.
    public var fault: String? {
        let known = Asked.allCases.map(\.rawValue) + [WriteDeclaration.placeholder]
        let unknown = path.matches(of: /\{[^}]*\}?/).map { String($0.output) }.first { !known.contains($0) }
        if let unknown { return "knows no placeholder '\(PlainText.oneLine(unknown, limit: 40))'" }
        let askedFor = Asked.allCases.filter { path.contains($0.rawValue) }
        guard askedFor.count == 1 else {
            return askedFor.isEmpty
                ? "asks for nothing that tells one write from another" : "asks for both {entry} and {key}"
        }
        if mark == nil, !(isDirect && asked == .key) { return "does not say which member carries \(asked.rawValue)" }
        if let mark, !mark.components.allSatisfy(\.isMember) || mark == .root {
            return "has a mark that is no member of an object"
        }
        return nil
    }
}

extension WriteProbe {
    /// What the write `entry` with `key` is asked for by.
    func value(entry: String, key: String) -> String { asked == .entry ? entry : key }

    /// The path with everything filled in.
    func path(entry: String, key: String) -> String {
        path.replacing(Asked.entry.rawValue, with: QueryEncoding.escape(entry))
            .replacing(Asked.key.rawValue, with: QueryEncoding.escape(key))
            .replacing(WriteDeclaration.placeholder, with: QueryEncoding.escape(id ?? ""))
    }

    /// `body` with the mark in it; a body that is no object is left alone, and was refused when the write was accepted.
    func marked(_ body: [UInt8]?, entry: String, key: String) -> [UInt8]? {
        guard let mark, let body, let document = try? EditRows.document(body), document.kind == .object else {
            return body
        }
        let mine = JSONDocument(string: value(entry: entry, key: key))
        guard let patch = JSONDocument(nesting: mine, at: self.mark(in: document) ?? mark) else { return body }
        return Array(JSONMergePatch(patch).applied(to: document).bytes)
    }

    /// The mark as `body` carries it: in its record, wherever that is.
    func mark(in body: JSONDocument) -> JSONPath? {
        guard let mark, let record, body.value(at: record) != nil else { return mark }
        return record.appending(mark)
    }
}

extension JSONPath.Component {
    fileprivate var isMember: Bool {
        if case .member = self { true } else { false }
    }
}

/// A probe as it is kept in the entry's row.
struct ProbeTerms: Codable, Hashable, Sendable {
    var path: String
    /// JSON paths, as they are written.
    var records: String?
    var mark: String?
    var after: Int64
    var otherwise: WriteProbe.Otherwise
    var id: String?
    var record: String?

    private enum CodingKeys: String, CodingKey {
        case path, records, mark, otherwise, id, record
        case after = "after_us"
    }

    init(_ probe: WriteProbe) {
        path = probe.path
        records = probe.records?.description
        mark = probe.mark?.description
        after = probe.after.wholeMicroseconds
        otherwise = probe.otherwise
        id = probe.id
        record = probe.record?.description
    }

    var probe: WriteProbe {
        WriteProbe(
            path, mark: mark.flatMap { try? JSONPath(parsing: $0) },
            records: records.flatMap { try? JSONPath(parsing: $0) }, after: .microseconds(after), otherwise: otherwise,
            id: id, record: record.flatMap { try? JSONPath(parsing: $0) })
    }
}
