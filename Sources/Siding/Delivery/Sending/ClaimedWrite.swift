// SPDX-License-Identifier: Apache-2.0
package import HTTPTypes
package import SidingChain
internal import SidingJSON
internal import SidingPaging

/// A claimed write: the request to send, and the token that proves the claim.
package struct ClaimedWrite: Sendable {
    /// The entry in its present state, `sending`, but for ``QueueEntry/firstSentAt``, which is that of earlier attempts.
    package var entry: QueueEntry
    package var method: HTTPRequest.Method
    package var url: HTTPURL
    package var headerFields: HTTPFields
    package var body: [UInt8]?
    /// The idempotency key, and the field that carries it; nil if it is not sent.
    package var key: String
    package var keyField: HTTPField.Name?
    /// Whether the origin honours the key.
    package var isKeyed: Bool
    /// The effect on a local record; nil if there is none.
    var terms: EditTerms?
    var declaredProbe: WriteProbe?
    /// The record at the write's URL, if it is an edit of that.
    var record: RecordProbe?
    /// The statuses that mean a conflict; nil for the default ones.
    var conflictStatuses: Set<Int>?
    /// Whether 404 and 410 count as success; nil if not declared.
    var goneIsDone: Bool?
    /// Whether to ask first who answers, as a web page answered for the origin the last time: the write may not be sent twice.
    var asksFirst = false

    /// Why to fetch the record instead of sending the write; nil sends it.
    var recordQuestion: RecordQuestion?

    /// Why the record of an edit is fetched instead of sending that.
    enum RecordQuestion: Sendable {
        /// The origin refused the edit with this, and did not show the record.
        case refused(RecordedError)
        /// The edit is to be sent under the record's ETag, and none is known.
        case noETag
    }

    /// Whether it may be sent again although it may have arrived: its method is idempotent (RFC 9110 §9.2.2), or its key is
    /// honoured.
    package var isResendable: Bool { isKeyed || method.isIdempotent }

    /// How the origin is asked for it if it is in doubt; nil if only an operator can find out.
    var probe: DeliveryProbe? { declaredProbe.map(DeliveryProbe.declared) ?? record.map(DeliveryProbe.record) }

    /// The delivery probe to run instead of sending the write, as it may have arrived; else nil.
    var probeToRun: DeliveryProbe? { entry.unknownSince == nil ? nil : probe }

    /// Whether it is to change the record only in the state that one of its fields names (RFC 9110 §13.1).
    var isConditional: Bool {
        [.ifMatch, .ifNoneMatch, .ifModifiedSince, .ifUnmodifiedSince].contains { headerFields[$0] != nil }
    }

    /// Whether it is a GraphQL request, which an answer with a success status may refuse.
    var isGraphQL: Bool {
        if headerFields[.contentType]?.isGraphQLType ?? false { return true }
        guard method == .post, let body else { return false }
        let limits = JSONLimits(maxStringBytes: WriteRequest.bodyLimit)
        return (try? JSONDocument(body, limits: limits))?.isGraphQLRequest ?? false
    }

    /// What an answer with a success status says around the record of this write, by which the origin has not acted on all of it.
    func shortfall(in response: LoadedResponse, limits: JSONLimits) -> Shortfall? {
        if terms == nil, let body, let batch = BatchAnswer(to: body, limits: limits),
            let shortfall = batch.shortfall(in: response.bytes ?? [])
        {
            return shortfall
        }
        let document = response.bytes.flatMap { try? JSONDocument($0.withoutByteOrderMark, limits: limits) }
        let sent = body.flatMap { try? JSONDocument($0, limits: limits) }.map { terms?.record(in: $0) ?? $0 }
        let isOfEdit = terms.map { $0.change != .create } ?? false
        let isRecordless = document?.saysOnlyHowItWent(isOfEdit: isOfEdit, sent: sent) ?? false
        let record = isRecordless ? nil : document.flatMap { self.record(answeredBy: $0, sent: sent) }
        return Shortfall(
            PageAnswer(
                toWrite: response.response.headerFields, document, record: record, saysOnlyHowItWent: isRecordless,
                sent: body),
            status: response.response.status.code)
    }

    /// The record that it makes or changes, in an answer; nil if it is not there.
    ///
    /// - Parameter sent: the record in its body.
    private func record(answeredBy document: JSONDocument, sent: JSONDocument?) -> JSONDocument? {
        let wrapped = WriteAnswer.wrappers.compactMap { document.value(at: JSONPath(member: $0)) }
        guard let terms else {
            // At the root `id` may be that of the request, as in JSON-RPC.
            return wrapped.first { $0.value(at: JSONPath(member: "id")).map { !$0.isNull } ?? false }
        }
        // A refusal may show the record that stands in the way, inside it. Beside one where the config expects it, an error is a hint.
        let key = terms.change == .create ? nil : entry.recordKey
        let isNamed = terms.change == .create && terms.idPath.flatMap { document.value(at: $0) }?.isNull == false
        if let found = isNamed ? terms.record(in: document) : terms.record(in: document, key: key) {
            return found != document && document.deniesSuccess ? nil : found
        }
        if document.hasFault { return terms.change == .create && document.isMade(of: sent) ? document : nil }
        let inside = wrapped + [document.elements?.first].compactMap(\.self)
        if let found = inside.lazy.compactMap({ terms.record(in: $0, key: key) }).first { return found }
        return terms.change == .create ? inside.first(where: \.hasID) : nil
    }

    /// Whether a web page is not an answer to it; see ``LoadedResponse/isWebPage(accepting:)``.
    func isWebPage(_ response: LoadedResponse, from source: Source) -> Bool {
        response.isWebPage(accepting: headerFields[.accept] ?? source.headerFields[.accept])
    }

    /// Whether a refusal is a web page; see ``isWebPage(_:from:)``.
    func isWebPage(_ refusal: HTTPFailure, from source: Source) -> Bool {
        refusal.isWebPage(accepting: headerFields[.accept] ?? source.headerFields[.accept])
    }

    /// All header fields except the source's own, with the key.
    var outgoingFields: HTTPFields {
        guard let keyField else { return headerFields }
        var fields = headerFields
        fields[keyField] = key
        return fields
    }
}

/// What a sender may claim.
package struct ClaimRequest: Sendable {
    /// How many requests of each source may be in flight, over all processes; other sources are not touched.
    package var sources: [String: Int]
    /// Claims only this entry, due or not.
    package var entry: String?
    /// Whether it is sent through a closed gate, because an operator asked for it.
    package var passesGates: Bool
    /// Whether the record of ``entry`` was just fetched: its ETag is what is known of it.
    var knowsRecord = false

    package init(
        sources: [String: Int], entry: String? = nil, passesGates: Bool = false, knowsRecord: Bool = false
    ) {
        (self.sources, self.entry, self.passesGates) = (sources, entry, passesGates)
        self.knowsRecord = knowsRecord
    }
}
