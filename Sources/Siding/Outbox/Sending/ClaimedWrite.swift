package import HTTPTypes
package import SidingChain
internal import SidingJSON

/// A claimed write: the request to send, and the token that proves the claim.
package struct ClaimedWrite: Sendable {
    /// The entry in its present state, `sending`, but for ``QueueEntry/firstSentAt``, which is that of earlier attempts.
    package var entry: QueueEntry
    package var method: HTTPRequest.Method
    package var url: HTTPURL
    package var headerFields: HTTPFields
    package var body: [UInt8]?
    /// The idempotency key, and how it is written.
    package var key: String
    package var keyField: HTTPField.Name?
    package var isKeyQuoted: Bool
    /// Whether the origin honours the key.
    package var isKeyed: Bool
    /// The effect on a local record; nil if there is none.
    var terms: EditTerms?
    var probe: WriteProbe?
    /// The statuses that mean a conflict; nil for the default ones.
    var conflictStatuses: Set<Int>?
    /// Whether 404 and 410 count as success; nil if not declared.
    var goneIsDone: Bool?

    /// Whether it may be sent again although it may have arrived: its method is idempotent (RFC 9110 §9.2.2), or its key is
    /// honoured.
    package var isResendable: Bool { isKeyed || method.isIdempotent }

    /// The delivery probe to run instead of sending the write, as it may have arrived; else nil.
    var probeToRun: WriteProbe? { entry.unknownSince == nil ? nil : probe }

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

    /// All header fields except the source's own, with the key.
    var outgoingFields: HTTPFields {
        guard let keyField else { return headerFields }
        var fields = headerFields
        fields[keyField] = isKeyQuoted ? "\"\(key)\"" : key
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

    package init(sources: [String: Int], entry: String? = nil, passesGates: Bool = false) {
        (self.sources, self.entry, self.passesGates) = (sources, entry, passesGates)
    }
}

/// The result of sending a write: the new state of the entry, and the outcome for its source.
package struct WriteResult: Sendable {
    package var transition: Transition
    package var outcome: SourceOutcome
    /// Whether the write was tried, or put off before anything was asked.
    package var isTry = true

    package init(_ transition: Transition, _ outcome: SourceOutcome) {
        (self.transition, self.outcome) = (transition, outcome)
    }

    /// The new state of the entry.
    package enum Transition: Sendable {
        /// Delivered: the origin has it.
        case delivered(WriteAnswer)
        /// Back to the queue, to be tried again after `wait`, given the number of counted attempts.
        case retry(
            RecordedError, isCounted: Bool, waitsForNetwork: Bool, wait: @Sendable (_ attempts: Int) -> Duration)
        /// In doubt, back to the queue: a delivery probe asks the origin after `wait`.
        case unknown(RecordedError, waitsForNetwork: Bool, wait: @Sendable (_ attempts: Int) -> Duration)
        /// The delivery probe found it at the origin.
        case arrived(WriteAnswer)
        /// The delivery probe did not find it. From `from` on it is sent again as if for the first time; until then probing
        /// continues.
        case sendAgain(from: Timestamp, because: String)
        /// Parked until an operator acts.
        case parked(ParkReason, RecordedError, WriteAnswer?)
        /// Back to the queue as if not tried, except that it may have arrived unless `isUnsent`.
        case released(isUnsent: Bool)
    }
}

/// An origin's answer to a write.
package struct WriteAnswer: Sendable, Hashable {
    /// The most bytes of the body that are kept with the entry.
    package static let bodyLimit = 65_536

    package var status: Int
    package var contentType: String?
    /// The validator of the record in the body (RFC 9110 §8.8.3), unchanged.
    package var etag: String?
    /// The whole body: a record in it is saved to the store.
    package var body: [UInt8]

    package init(status: Int, contentType: String?, etag: String? = nil, body: [UInt8]) {
        (self.status, self.contentType, self.etag, self.body) = (status, contentType, etag, body)
    }
}
