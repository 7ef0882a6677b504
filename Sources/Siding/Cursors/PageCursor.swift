internal import HTTPTypes
internal import SidingChain
internal import SidingJSON

/// What one page says of its resource's cursor.
struct PageCursor: Sendable, Hashable {
    /// The value that is furthest on.
    var furthest: String?
    /// The value that is least far, for listings whose order is known.
    var nearest: String?
    /// The furthest value that is less far than ``furthest``.
    var below: String?
    /// Whether no value is less far than the one before it.
    var isAscending = true
    /// Whether no value is further than the one before it; told of records that are said to come newest first.
    var isDescending = true
    /// The values of those records, in their order, also such as lie in the future.
    var values: [String] = []
    /// Records without a value that the cursor could take.
    var unusable = 0
    /// A value that lies in the future, which would hide all that comes before it.
    var future: String?

    /// Reads what `rule` looks at: the page's records, its envelope or its header fields.
    init(_ records: [RecordSlice], of page: [UInt8], _ answer: PageAnswer, by rule: IncrementalCursor, now: Timestamp) {
        switch rule.place {
        case .record(let path):
            see(records, of: page, at: path, by: rule, latest: now + Self.clockSkew)
        case .envelope(let path): answer.text(at: path).map { see($0, rule, now + Self.clockSkew) }
        case .header(let name):
            answer.headerFields[name].map { see(Self.date($0, as: rule.type), rule, now + Self.clockSkew) }
        }
    }

    /// By how much an origin's clock may be ahead of ours.
    private static let clockSkew = Duration.seconds(86_400)

    /// A date of HTTP in the cursor's own form; anything else as it stands.
    private static func date(_ text: String, as type: CursorType) -> String {
        guard type.isTime, let seconds = HTTPDate.secondsSince1970(text) else { return text }
        return type.text(of: Timestamp(secondsSince1970: seconds), like: "")
    }

    /// Reads the values of a page's records.
    ///
    /// - Parameter latest: no moment after this one is believed.
    private mutating func see(
        _ records: [RecordSlice], of page: [UInt8], at path: JSONPath, by rule: IncrementalCursor, latest: Timestamp
    ) {
        page.withUnsafeBytes { bytes in
            for record in records {
                guard case .key = record.outcome else { continue }
                let body = UnsafeRawBufferPointer(rebasing: bytes[record.range])
                guard let value = JSONMembers.value(at: path, in: body), let text = Self.text(value, in: body) else {
                    unusable += 1
                    continue
                }
                see(text, rule, latest)
            }
        }
    }

    private mutating func see(_ text: String, _ rule: IncrementalCursor, _ latest: Timestamp) {
        guard rule.type.takes(text) else {
            unusable += 1
            return
        }
        if rule.order == .descending {
            if let last = values.last, rule.isFurther(text, than: last) { isDescending = false }
            values.append(text)
        }
        if let moment = rule.type.moment(text), moment > latest {
            future = text
            return
        }
        if let furthest {
            if rule.isFurther(furthest, than: text) {
                isAscending = false
                below = rule.further(below, text)
            } else if rule.isFurther(text, than: furthest) {
                below = rule.further(below, furthest)
            }
        }
        furthest = rule.further(furthest, text)
        if nearest.map({ rule.isFurther($0, than: text) }) ?? true { nearest = text }
    }

    private static func text(_ value: EnvelopeValue, in body: UnsafeRawBufferPointer) -> String? {
        switch value.kind {
        case .string: value.string(in: body)
        case .number: String(decoding: body[value.range], as: UTF8.self)
        case .true, .false, .null, .object, .array: nil
        }
    }
}
