public import SidingChain

/// What came of sending a write: what becomes of the entry, and what was learned of its source.
public struct WriteSettlement: Sendable {
    public var verdict: Verdict
    public var lesson: SourceOutcome
    /// Whether the write was tried, or put off before anything was asked.
    public var isTry = true

    public init(_ verdict: Verdict, _ lesson: SourceOutcome) {
        (self.verdict, self.lesson) = (verdict, lesson)
    }

    /// What becomes of the entry.
    public enum Verdict: Sendable {
        /// The origin has it.
        case delivered(WriteAnswer)
        /// Back to the queue, to be tried again after `wait`, which is told how many tries have counted by then.
        case retry(
            RecordedError, isCounted: Bool, waitsForLine: Bool, wait: @Sendable (_ attempts: Int) -> Duration)
        /// Back to the queue: it may have arrived, and the origin is asked after `wait` whether it has it.
        case unknown(RecordedError, waitsForLine: Bool, wait: @Sendable (_ attempts: Int) -> Duration)
        /// The origin was asked, and has it.
        case arrived(WriteAnswer)
        /// The origin was asked: once `from` has come, the write is sent as if it had never been. Until then it is asked
        /// again.
        case sendAgain(from: Timestamp, because: String)
        /// It waits for a person.
        case parked(ParkReason, RecordedError, WriteAnswer?)
        /// Back to the queue as if it had not been tried, but for what may have arrived.
        case released(isUnsent: Bool)
    }
}

/// An origin's answer to a write.
public struct WriteAnswer: Sendable, Hashable {
    /// At most this many bytes of the body are kept with the entry.
    public static let bodyLimit = 65_536

    public var status: Int
    public var contentType: String?
    /// The validator of the record that it holds (RFC 9110 §8.8.3), as it was written.
    public var etag: String?
    /// The whole body: a record in it is taken into the store.
    public var body: [UInt8]

    public init(status: Int, contentType: String?, etag: String? = nil, body: [UInt8]) {
        self.status = status
        self.contentType = contentType
        self.etag = etag
        self.body = body
    }

    /// What of the body is kept with the entry.
    func keptBody(without dropped: DroppedMembers) -> [UInt8] {
        Array(dropped.removed(from: body).prefix(Self.bodyLimit))
    }
}
