internal import HTTPTypes
internal import SidingChain
internal import SidingJSON

/// How the origin is asked whether it has a write in doubt.
enum DeliveryProbe: Sendable {
    /// By a value that the write carried.
    case declared(WriteProbe)
    /// By the record that the write changes.
    case record(RecordProbe)

    /// See ``WriteProbe/after``.
    var after: Duration {
        switch self {
        case .declared(let probe): probe.after
        case .record: WriteProbe.usualDelay
        }
    }

    /// What to do if the answer is unclear.
    var fallback: WriteProbe.Fallback {
        switch self {
        case .declared(let probe): probe.fallback
        case .record: .hold
        }
    }

    func url(of write: ClaimedWrite, at source: Source) throws(Failure) -> HTTPURL {
        switch self {
        case .declared(let probe): try source.baseURL.appending(path: probe.path(entry: write.entry.id, key: write.key))
        case .record: write.url
        }
    }

    func answer(_ document: JSONDocument, about write: ClaimedWrite) -> ProbeAnswer {
        switch self {
        case .declared(let probe):
            ProbeAnswer(document, to: probe, asking: probe.value(entry: write.entry.id, key: write.key))
        case .record(let probe): probe.answer(document)
        }
    }

    /// What a 404 or 410 says; nil if it says nothing about the write.
    var answerOfGone: ProbeAnswer? {
        switch self {
        case .declared(let probe): probe.isDirect ? .notThere : nil
        case .record(let probe): probe.terms.change == .delete ? .there(nil) : .notThere
        }
    }
}

/// The built-in delivery probe of an edit: a GET of the record shows whether it is as the edit wants it.
///
/// It serves edits that act no more than once however often they are sent: a merge patch sets members, a replacement the whole
/// record, a DELETE removes it.
struct RecordProbe: Sendable {
    let terms: EditTerms
    /// The record's key.
    let key: String
    /// The body of the write; nil for a DELETE.
    let body: [UInt8]?
    /// The record before the edit; nil if it is not known.
    let before: JSONDocument?

    /// Whether a write has this probe: the URL of an edit by one of these methods is that of the record.
    static func fits(_ method: HTTPRequest.Method, _ terms: EditTerms?) -> Bool {
        guard let terms, terms.change != .create else { return false }
        return [.patch, .put, .delete].contains(method)
    }

    /// The record in the body of an answer; nil if it is not there.
    func found(in body: [UInt8]?) -> JSONDocument? {
        body.flatMap { try? Store.document($0) }.flatMap(found)
    }

    private func found(in document: JSONDocument) -> JSONDocument? {
        // Some origins have a record at the URL of a list that is filtered by its key.
        ([terms.record(in: document), document] + (document.elements ?? [])).first {
            $0.kind == .object && terms.recordKey(of: $0)?.text == key
        }
    }

    func answer(_ document: JSONDocument) -> ProbeAnswer {
        guard let found = found(in: document) else { return .unclear("its answer does not have the record \(key)") }
        if terms.change == .delete { return .notThere }
        guard let edit = body.flatMap({ try? Store.document($0) }).map(terms.record), edit.kind == .object else {
            return .unclear("the write's body cannot be compared with the record")
        }
        let record = terms.withoutETag(found)
        if carryingOut(terms.withoutETag(edit)).allSatisfy({ $0.changesNothing(in: record) }) { return .there(found) }
        if undoing(terms.withoutETag(edit))?.changesNothing(in: record) == true { return .notThere }
        // Somebody else may have changed it after the write had arrived.
        return .unclear("the record has changed since, so that it does not show whether the write arrived")
    }

    /// What the edit does to the record. Members that only the origin sets are left aside; those that a replacement removes have
    /// to be gone.
    private func carryingOut(_ edit: JSONDocument) -> [JSONMergePatch] {
        guard terms.change == .replace, let before = before.map(terms.withoutETag),
            let difference = try? JSONMergePatch.difference(from: before, to: edit)
        else { return [JSONMergePatch(edit)] }
        return [JSONMergePatch(edit), difference]
    }

    /// What makes the record again what it was before the edit; nil if that is not known.
    private func undoing(_ edit: JSONDocument) -> JSONMergePatch? {
        guard let before = before.map(terms.withoutETag) else { return nil }
        let after = terms.change == .replace ? edit : JSONMergePatch(edit).applied(to: before)
        return try? JSONMergePatch.difference(from: after, to: before)
    }
}

extension JSONMergePatch {
    fileprivate func changesNothing(in record: JSONDocument) -> Bool { applied(to: record).isEquivalent(to: record) }
}
