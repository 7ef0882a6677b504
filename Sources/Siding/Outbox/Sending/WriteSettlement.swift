public import SidingChain

/// The result of sending a write: the new state of the entry, and the outcome for its source.
public struct WriteSettlement: Sendable {
    public var verdict: Verdict
    public var outcome: SourceOutcome
    /// Whether the write was tried, or put off before anything was asked.
    public var isTry = true

    public init(_ verdict: Verdict, _ outcome: SourceOutcome) {
        (self.verdict, self.outcome) = (verdict, outcome)
    }

    /// The new state of the entry.
    public enum Verdict: Sendable {
        /// Delivered: the origin has it.
        case delivered(WriteAnswer)
        /// Back to the queue, to be tried again after `wait`, given the number of counted attempts.
        case retry(
            RecordedError, isCounted: Bool, waitsForLine: Bool, wait: @Sendable (_ attempts: Int) -> Duration)
        /// In doubt, back to the queue: a delivery probe asks the origin after `wait`.
        case unknown(RecordedError, waitsForLine: Bool, wait: @Sendable (_ attempts: Int) -> Duration)
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
public struct WriteAnswer: Sendable, Hashable {
    /// The most bytes of the body that are kept with the entry.
    public static let bodyLimit = 65_536

    public var status: Int
    public var contentType: String?
    /// The validator of the record in the body (RFC 9110 §8.8.3), unchanged.
    public var etag: String?
    /// The whole body: a record in it is saved to the store.
    public var body: [UInt8]

    public init(status: Int, contentType: String?, etag: String? = nil, body: [UInt8]) {
        self.status = status
        self.contentType = contentType
        self.etag = etag
        self.body = body
    }

    /// The part of the body that is kept with the entry.
    func keptBody(without dropped: DroppedMembers) -> [UInt8] {
        Array(dropped.removed(from: body).prefix(Self.bodyLimit))
    }
}
