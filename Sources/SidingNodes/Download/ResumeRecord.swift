// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials
internal import HTTPTypes
internal import SidingChain

/// The state of an unfinished download: which file it is a part of, and how many bytes are on disk.
struct ResumeRecord: Sendable, Hashable, Codable {
    /// Larger files are not ours.
    static let sizeLimit = 65_536

    enum CodingKeys: String, CodingKey {
        case version, url, digest = "url_sha256", validator, bytes, total
    }

    /// The version of the format; other versions are ignored.
    private(set) var version = 1
    /// For people who find the file; without secrets.
    var url: String
    /// The digest of the whole URL: a part is never completed from another URL.
    var digest: String
    /// The value for `If-Range`.
    var validator: String
    /// The number of bytes on disk.
    var bytes: Int64
    /// The size of the complete file, if declared.
    var total: Int64?

    init(url: String, digest: String, validator: String, bytes: Int64 = 0, total: Int64?) {
        (self.url, self.digest, self.validator) = (url, digest, validator)
        (self.bytes, self.total) = (bytes, total)
    }

    /// Nil if `encoded` is not a record of this format.
    init?(_ encoded: [UInt8]) {
        guard let record = try? JSONDecoder().decode(ResumeRecord.self, from: Data(encoded)), record.version == 1,
            record.bytes >= 0, (record.total ?? .max) >= record.bytes, HTTPField.isValidValue(record.validator)
        else { return nil }
        self = record
    }

    var encoded: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Encoding strings and integers cannot fail; without a record the next call would only start again.
        return (try? encoder.encode(self)).map { [UInt8]($0) } ?? []
    }
}

/// Proves that two responses are parts of the same bytes: a strong `ETag`, or else a strong `Last-Modified`.
enum StrongValidator {
    /// The value for `If-Range` (RFC 9110 §13.1.5), or nil if `fields` have no strong validator.
    ///
    /// With a weak tag bytes may differ, so a date beside it is not used either. A date is strong if the response was made at
    /// least a second later (§8.8.2.2), because a file may change twice within a second.
    static func value(in fields: HTTPFields) -> String? {
        if !fields[values: .eTag].isEmpty {
            guard let tag = fields.entityTag else { return nil }
            return tag.hasPrefix("\"") && tag.hasSuffix("\"") && tag.utf8.count >= 2 ? tag : nil
        }
        guard let changed = fields[.lastModified], let changedAt = HTTPDate.secondsSince1970(changed),
            let answeredAt = fields[.date].flatMap(HTTPDate.secondsSince1970), answeredAt - changedAt >= 1
        else { return nil }
        return changed
    }
}

/// The `Content-Range` of a single byte range (RFC 9110 §14.4): `bytes 5-9/10`, `bytes 5-9/*`, `bytes */10`.
struct ContentRange: Sendable, Equatable {
    /// The offsets of the first and the last byte of the body; nil in the form that has only the size.
    let bounds: ClosedRange<Int64>?
    /// The total size; nil if the origin does not know it.
    let total: Int64?

    var first: Int64? { bounds?.lowerBound }

    /// Nil if there is no such field, or its value is invalid.
    init?(_ fields: HTTPFields) {
        guard let value = fields[.contentRange] else { return nil }
        self.init(value)
    }

    init?(_ value: String) {
        let words = value.split(separator: " ", omittingEmptySubsequences: true)
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let total = Self.number(parts[1], orStar: true) else { return nil }
        self.total = total
        guard parts[0] != "*" else {
            guard total != nil else { return nil }
            bounds = nil
            return
        }
        let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Self.number(ends[0], orStar: false) ?? nil,
            let last = Self.number(ends[1], orStar: false) ?? nil, first <= last, last < .max, last < total ?? .max
        else { return nil }
        bounds = first...last
    }

    /// The number, `.some(nil)` for a star, nil for any other text.
    private static func number(_ text: Substring, orStar: Bool) -> Int64?? {
        if orStar, text == "*" { return .some(nil) }
        guard !text.isEmpty, text.allSatisfy(\.isASCIIDigit), let number = Int64(text) else { return nil }
        return .some(number)
    }
}
