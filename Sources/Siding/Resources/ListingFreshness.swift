internal import HTTPTypes
public import SidingChain

/// How soon asking again is pointless, as the first page of a listing said it.
public struct ListingFreshness: Sendable, Hashable {
    /// Until when the origin calls its answer current, by `Cache-Control` or `Expires`; nil where it does not say.
    public var freshUntil: Timestamp?
    /// Before when the origin asks not to be asked again, by `X-Poll-Interval`; nil where it does not.
    public var notBefore: Timestamp?

    public init(freshUntil: Timestamp? = nil, notBefore: Timestamp? = nil) {
        (self.freshUntil, self.notBefore) = (freshUntil, notBefore)
    }

    /// Reads the fields of an answer that came at `now`.
    ///
    /// - Parameter isCached: whether HTTP's caching counts at all.
    init(_ fields: HTTPFields, isCached: Bool, now: Timestamp) {
        let remaining = isCached ? AnswerFreshness.remaining(fields, now: now.secondsSince1970) : nil
        freshUntil = remaining.map { now + $0 }
        notBefore = AnswerFreshness.pollInterval(fields).map { now + $0 }
    }
}

/// What decides whether a resource is asked for at all.
public struct ResourceFreshness: Sendable, Hashable {
    /// What the resource was at its last sync.
    public var definition: ResourceDefinition
    /// When the last complete listing ended.
    public var completedAt: Timestamp?
    /// What that listing said.
    public var said: ListingFreshness
    /// Whether a listing was begun since and has not ended, or a person has set the cursor since.
    public var isUnfinished: Bool
    /// How its records were looked at then; nil where the store does not keep that.
    public var shape: RecordShape?
    /// The name of the source that it was of then; nil where the store does not keep that.
    public var source: String?

    public init(
        definition: ResourceDefinition, completedAt: Timestamp?, said: ListingFreshness, isUnfinished: Bool,
        shape: RecordShape? = nil, source: String? = nil
    ) {
        self.definition = definition
        self.completedAt = completedAt
        self.said = said
        self.isUnfinished = isUnfinished
        self.shape = shape
        self.source = source
    }

    /// Until when the origin calls what is stored current; nil where that is over.
    public func freshUntil(at now: Timestamp) -> Timestamp? { ahead(said.freshUntil, now) }

    /// Before when the origin asks not to be asked; nil where that is over.
    public func notBefore(at now: Timestamp) -> Timestamp? { ahead(said.notBefore, now) }

    /// A moment that lies ahead of `now`, and of a listing behind it: a clock that was set back freezes nothing.
    private func ahead(_ moment: Timestamp?, _ now: Timestamp) -> Timestamp? {
        guard let moment, let completedAt, completedAt <= now, now < moment, moment - now <= AnswerFreshness.longest
        else { return nil }
        return moment
    }
}

extension ResourceState {
    /// What decides whether the resource is asked for at all.
    public var standing: ResourceFreshness {
        ResourceFreshness(
            definition: definition, completedAt: completedAt, said: freshness, isUnfinished: checkpoint != nil,
            source: source)
    }
}
