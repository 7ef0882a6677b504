// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
package import SidingChain
package import SidingJSON

/// The cursor values of one page.
package struct PageCursor: Sendable, Hashable {
    /// The value furthest ahead.
    package private(set) var highWaterMark: String?
    /// The value least far ahead, for listings with a declared order.
    package private(set) var nearest: String?
    /// The second-furthest distinct value.
    package private(set) var below: String?
    /// Whether no value is behind the one before it.
    package private(set) var isAscending = true
    /// Whether no value is ahead of the one before it; only for a declared descending order.
    package private(set) var isDescending = true
    /// All values in order, future ones included; only for a declared descending order.
    package private(set) var values: [String] = []
    /// The number of records without a usable value.
    package private(set) var unusable = 0
    /// A value in the future: as a cursor it would hide all earlier changes.
    package private(set) var future: String?

    /// Reads the values for `rule` from the page's records, its envelope or its header fields.
    package init(
        _ records: [RecordSlice], of page: [UInt8], _ answer: PageAnswer, by rule: IncrementalCursor, now: Timestamp
    ) {
        switch rule.place {
        case .record(let path):
            see(records, of: page, at: path, by: rule, latest: now + Self.clockSkew)
        case .envelope(let path): answer.text(at: path).map { see($0, rule, now + Self.clockSkew) }
        case .header(let name):
            answer.headerFields[name].map { see(Self.date($0, as: rule.type), rule, now + Self.clockSkew) }
        }
    }

    /// How far the origin's clock may be ahead.
    private static let clockSkew = Duration.seconds(86_400)

    /// An HTTP date in the cursor's own format; other text unchanged.
    private static func date(_ text: String, as type: CursorType) -> String {
        guard type.isTime, let seconds = HTTPDate.secondsSince1970(text) else { return text }
        return type.text(of: Timestamp(secondsSince1970: seconds), like: "")
    }

    /// Reads the values of a page's records.
    ///
    /// - Parameter latest: later times count as future.
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
        // The JSON functions of SQLite end a text at NUL (sqlite.org/nulinstr.html), and a cursor is kept in JSON.
        guard rule.type.takes(text), !text.utf8.contains(0) else {
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
        if let highWaterMark {
            if rule.isFurther(highWaterMark, than: text) {
                isAscending = false
                below = rule.further(below, text)
            } else if rule.isFurther(text, than: highWaterMark) {
                below = rule.further(below, highWaterMark)
            }
        }
        highWaterMark = rule.further(highWaterMark, text)
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
