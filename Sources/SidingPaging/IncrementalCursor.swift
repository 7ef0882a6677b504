// SPDX-License-Identifier: Apache-2.0
package import HTTPTypes
internal import SidingChain
package import SidingJSON

/// How a resource requests only changes: the cursor value that marks its progress, and where that value is found.
///
/// The cursor is stored with the rows that it covers, and never ahead of them. It moves in the transaction that saves the last
/// page of a listing or, in ascending order, with each page.
package struct IncrementalCursor: Sendable, Hashable {
    /// Where the value is found.
    package enum Place: Sendable, Hashable {
        /// In each record; the highest value of the listing counts.
        case record(JSONPath)
        /// In the envelope, such as a sync token: opaque, and the value of the last page that has one counts.
        case envelope(JSONPath)
        /// In a header field of the listing's first answer, such as `Date`: the first, so that the next sync also requests
        /// changes made while this listing was read.
        case header(HTTPField.Name)
    }

    /// The order in which an origin lists records.
    package enum Order: String, Sendable, CaseIterable {
        /// Oldest first: each page moves the cursor, so that an interrupted listing keeps its progress.
        case ascending = "asc"
        /// Newest first: the listing ends at the first page that is entirely past the cursor.
        case descending = "desc"
    }

    /// The direction in which cursor values advance: with `max` the greater of two values is further ahead, with `min` the
    /// smaller. "The highest value" always means the one that is furthest ahead.
    package enum Direction: String, Sendable, CaseIterable {
        case max, min
    }

    package var place: Place
    package var type: CursorType
    package var direction: Direction
    /// The start of the first listing; nil to list everything.
    package var start: String?
    /// How far before the cursor a listing starts, to include late records.
    package var lookback: Lookback?
    /// Nil if the order is unknown.
    package var order: Order?
    /// How long the origin remembers changes: an older cursor leads to a full listing. Nil means for ever.
    package var retention: Duration?
    /// The format of the value in requests; nil to send it as found.
    package var format: CursorType?

    package init(
        at place: Place, type: CursorType = .datetime, direction: Direction = .max, start: String? = nil,
        lookback: Lookback? = nil, order: Order? = nil, retention: Duration? = nil, format: CursorType? = nil
    ) {
        (self.place, self.type, self.direction, self.start) = (place, type, direction, start)
        (self.lookback, self.order, self.retention, self.format) = (lookback, order, retention, format)
    }

    /// How far to step back.
    package enum Lookback: Sendable, Hashable {
        /// For times.
        case time(Duration)
        /// For whole numbers.
        case count(Int64)
    }

    /// Whether only the origin understands the value.
    package var isOpaque: Bool {
        if case .envelope = place { type == .text } else { false }
    }

    /// Whether each page moves the cursor, so that an unfinished listing resumes there rather than at a page number. Page
    /// numbers are unreliable in this order: changed records move to the end, and those behind them move up.
    package var resumesAtCursor: Bool { order == .ascending && isOfRecords }

    /// The value that is further ahead.
    package func further(_ one: String?, _ other: String) -> String {
        guard let one else { return other }
        return isFurther(other, than: one) ? other : one
    }

    /// Whether `one` is further ahead than `other`.
    package func isFurther(_ one: String, than other: String) -> Bool {
        switch type.compare(one, other) {
        case .more: direction == .max
        case .less: direction == .min
        case .equal: false
        }
    }

    /// `value` minus the lookback.
    package func minusLookback(_ value: String) -> String {
        guard let lookback else { return value }
        return type.stepped(value, by: lookback, backwards: direction == .max)
    }

    /// `value` as written in requests.
    package func written(_ value: String) -> String {
        guard let format, let moment = type.moment(value) else { return value }
        let text = format.text(of: moment, like: value)
        // Truncation must request more, never less.
        guard direction == .min, let cut = format.moment(text), cut < moment else { return text }
        return format.text(of: cut + format.unit, like: text)
    }
}

extension IncrementalCursor: CustomStringConvertible {
    package var isOfRecords: Bool {
        if case .record = place { true } else { false }
    }

    /// Where the value is found.
    package var description: String {
        switch place {
        case .record(let path): path.description
        case .envelope(let path): "\(path) of the envelope"
        case .header(let name): "the header field \(name)"
        }
    }
}
