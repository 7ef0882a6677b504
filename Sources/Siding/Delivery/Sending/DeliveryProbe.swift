// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingJSON

/// How the origin is asked whether it has a write in doubt.
enum DeliveryProbe: Sendable {
    /// By a value that the write carried.
    case declared(WriteProbe)
    /// By the record that the write changes.
    case record(RecordProbe)

    /// Whether the GET is for the record alone.
    var isOfRecord: Bool { if case .record = self { true } else { false } }

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
    var before: JSONDocument?

    /// The record in the body of an answer; nil if it is not there.
    func found(in body: [UInt8]?) -> JSONDocument? {
        body.flatMap { try? Store.document($0) }.flatMap { terms.record(in: $0, key: key) }
    }

    func answer(_ document: JSONDocument) -> ProbeAnswer {
        guard let found = terms.record(in: document, key: key) else {
            return .unclear("its answer does not have the record \(key)")
        }
        if terms.change == .delete { return .notThere }
        guard let sent = body.flatMap({ try? Store.document($0) }).map(terms.record), sent.kind == .object else {
            return .unclear("the write's body cannot be compared with the record")
        }
        let (edit, record) = (terms.withoutETag(sent), terms.withoutETag(found))
        guard let before = before.map(terms.withoutETag) else {
            // What a replacement removes is not known.
            let isThere = terms.change == .merge && JSONMergePatch(edit).changesNothing(in: record)
            return isThere ? .there(found) : .unclear("the record before the write is not known here")
        }
        let after = terms.change == .replace ? edit : JSONMergePatch(edit).applied(to: before)
        let doing = try? JSONMergePatch.difference(from: before, to: after)
        if JSONMergePatch(edit).changesNothing(in: record),
            doing?.changesNothing(in: record) ?? (terms.change == .merge)
        {
            return .there(found)
        }
        let undoing = try? JSONMergePatch.difference(from: after, to: before)
        // A member that was not there before may be one that the origin never shows.
        if let undoing, undoing.document != JSONDocument.emptyObject, !undoing.document.hasNullMember,
            undoing.changesNothing(in: record)
        {
            return .notThere
        }
        return .unclear(
            record.isEquivalent(to: before)
                ? "the record is as it was before, but may not show what the write adds"
                : "the record is neither as it was before nor as the write makes it")
    }
}

extension JSONDocument {
    fileprivate var hasNullMember: Bool {
        (members ?? []).contains { $0.value.kind == .null || $0.value.hasNullMember }
    }
}

extension JSONMergePatch {
    fileprivate func changesNothing(in record: JSONDocument) -> Bool { applied(to: record).isEquivalent(to: record) }
}
