// SPDX-License-Identifier: Apache-2.0
/// Why one record cannot be stored, while the rest of its page can. Offsets count bytes of the page.
public enum RecordFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// An object repeats a name, at any depth and however it is escaped. The offset points to the second
    /// occurrence.
    case duplicateName(String, offset: Int)
    /// A string or name contains an escape that is half of a surrogate pair.
    case loneSurrogate(offset: Int)
    /// Arrays and objects are nested deeper than allowed, the record itself included.
    case tooDeep(limit: Int, offset: Int)
    /// A string or name is longer than ``JSONLimits/maxStringBytes``.
    case stringTooLong(limit: Int, offset: Int)
    /// The record has no value at this path of its key.
    case missingKey(JSONPath, offset: Int)
    /// The value at this path of the key is neither an integer nor a text that can be stored and is not empty.
    case keyNotUsable(JSONPath, found: UnusableKey, offset: Int)
    /// The key is a member, but the record is not an object.
    case notAnObject(found: JSONKind, offset: Int)

    /// The unusable value of a key.
    public enum UnusableKey: String, Sendable, Hashable {
        /// `null`
        case null = "null"
        /// `true` or `false`
        case boolean = "a boolean"
        /// Written with a fraction or an exponent, even if the value is whole.
        case fraction = "a number that is not an integer"
        /// `{…}`
        case object = "an object"
        /// `[…]`
        case array = "an array"
        /// `""` as the only member of a key: origins write it where a value is missing. A part of a longer key may be empty, and
        /// so may the name of a member.
        case emptyText = "an empty string"
        /// SQLite truncates text at a NUL.
        case textWithNUL = "a string that contains U+0000"
    }

    /// The offset of the fault in the page.
    public var offset: Int {
        switch self {
        case .duplicateName(_, let offset), .loneSurrogate(let offset), .tooDeep(_, let offset),
            .stringTooLong(_, let offset), .missingKey(_, let offset), .keyNotUsable(_, _, let offset),
            .notAnObject(_, let offset):
            offset
        }
    }

    /// A short, stable name of the fault for counting and storing.
    public var code: String {
        switch self {
        case .duplicateName: "duplicate_name"
        case .loneSurrogate: "lone_surrogate"
        case .tooDeep: "too_deep"
        case .stringTooLong: "string_too_long"
        case .missingKey: "missing_key"
        case .keyNotUsable: "key_not_usable"
        case .notAnObject: "not_an_object"
        }
    }

    public var description: String {
        "byte \(offset): \(reason)"
    }

    /// The description without the offset.
    public var reason: String {
        switch self {
        case .duplicateName(let name, _):
            "the name \"\(PlainText.oneLine(name, limit: 80))\" appears twice in one object"
        case .loneSurrogate: "a string contains half of a surrogate pair, which is not valid Unicode"
        case .tooDeep(let limit, _): "arrays and objects are nested deeper than \(limit)"
        case .stringTooLong(let limit, _): "a string is longer than \(limit) bytes"
        case .missingKey(let path, _): "the key \(PlainText.oneLine(path.description, limit: 80)) is missing"
        case .keyNotUsable(let path, let found, _):
            "the key \(PlainText.oneLine(path.description, limit: 80)) is \(found.rawValue); a key is a string or an integer"
        case .notAnObject(let found, _): "the record is \(found), not an object, so it has no key"
        }
    }
}

/// A broken rule noted while scanning a record, as plain numbers; it becomes a `RecordFault` at the record's end.
struct NotedFault {
    enum Rule: UInt8 {
        case duplicateName, loneSurrogate, tooDeep, stringTooLong
    }

    let rule: Rule
    /// The byte offset in the page; for a repeated name, the offset of its first character after the quote.
    let start: Int
    /// The length of a repeated name; otherwise 0.
    let count: Int

    func fault(in document: UnsafePointer<UInt8>, limits: JSONLimits) -> RecordFault {
        switch rule {
        case .duplicateName:
            let name = UnsafeRawBufferPointer(start: document + start, count: count)
            return .duplicateName(JSONString.decode(name) ?? String(decoding: name, as: UTF8.self), offset: start - 1)
        case .loneSurrogate: return .loneSurrogate(offset: start)
        case .tooDeep: return .tooDeep(limit: limits.maxDepth, offset: start)
        case .stringTooLong: return .stringTooLong(limit: limits.maxStringBytes, offset: start)
        }
    }
}
