public import HTTPTypes
internal import SidingChain
public import SidingJSON

/// How a resource asks for changes only: the value that tells how far it has come, and where that value is found.
///
/// The cursor is stored with the rows that it vouches for, and never ahead of them: it moves in the transaction that saves
/// the last page of a listing, or, where records come in ascending order, with each page.
public struct IncrementalCursor: Sendable, Hashable {
    /// Where the value is found.
    public enum Place: Sendable, Hashable {
        /// In each record; the furthest of a listing counts.
        case record(JSONPath)
        /// In the envelope, such as a sync token: opaque, and the last page that has one counts.
        case envelope(JSONPath)
        /// In a header field of the listing's first answer, such as `Date`: what changes while pages are read is asked for
        /// the next time.
        case header(HTTPField.Name)
    }

    /// In which order an origin lists records.
    public enum Order: String, Sendable, CaseIterable {
        /// Oldest first: each page moves the cursor, so that a listing that ends early loses nothing of its way.
        case ascending = "asc"
        /// Newest first: the listing ends at the first page that lies wholly behind the cursor.
        case descending = "desc"
    }

    /// Which of two values is further on.
    public enum Direction: String, Sendable, CaseIterable {
        case max, min
    }

    public var place: Place
    public var type: CursorType
    public var direction: Direction
    /// Where the first listing begins; nil for all there is.
    public var start: String?
    /// How far behind the cursor a listing begins, for what came late.
    public var lookback: Lookback?
    /// Nil where nothing is known of it.
    public var order: Order?
    /// How long the origin remembers changes: a cursor that is older leads to a full listing. Nil for ever.
    public var retention: Duration?
    /// How the value is written in requests; nil as it was found.
    public var format: CursorType?

    public init(
        at place: Place, type: CursorType = .datetime, direction: Direction = .max, start: String? = nil,
        lookback: Lookback? = nil, order: Order? = nil, retention: Duration? = nil, format: CursorType? = nil
    ) {
        (self.place, self.type, self.direction, self.start) = (place, type, direction, start)
        (self.lookback, self.order, self.retention, self.format) = (lookback, order, retention, format)
    }

    /// A step back.
    public enum Lookback: Sendable, Hashable {
        /// For times.
        case time(Duration)
        /// For whole numbers.
        case count(Int64)
    }

    /// Whether the origin alone understands the value.
    public var isOpaque: Bool {
        if case .envelope = place { type == .text } else { false }
    }

    /// Whether each page moves the cursor, so that an unfinished listing goes on there rather than at a page number: what
    /// changed meanwhile has left its place for the end, and all behind it has moved up.
    var goesOnAtCursor: Bool { order == .ascending && isOfRecords }

    /// The further one of two values.
    func further(_ one: String?, _ other: String) -> String {
        guard let one else { return other }
        return isFurther(other, than: one) ? other : one
    }

    /// Whether `one` is further on than `other`.
    public func isFurther(_ one: String, than other: String) -> Bool {
        switch type.compare(one, other) {
        case .more: direction == .max
        case .less: direction == .min
        case .equal: false
        }
    }

    /// `value` with the lookback taken off.
    func lookedBack(_ value: String) -> String {
        guard let lookback else { return value }
        return type.stepped(value, by: lookback, backwards: direction == .max)
    }

    /// `value` as requests say it.
    func written(_ value: String) -> String {
        guard let format, let moment = type.moment(value) else { return value }
        let text = format.text(of: moment, like: value)
        // What is cut off must ask for more, never for less.
        guard direction == .min, let cut = format.moment(text), cut < moment else { return text }
        return format.text(of: cut + format.unit, like: text)
    }
}
