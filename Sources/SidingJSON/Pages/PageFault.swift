// SPDX-License-Identifier: Apache-2.0
/// Why nothing of a page can be kept. Offsets count bytes of the page.
package enum PageFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// Not JSON by RFC 8259.
    case syntax(JSONSyntaxError)
    /// Not UTF-8, or with a byte order mark; the error has the likely encoding.
    case notUTF8(JSONSyntaxError)
    /// No array at the declared path or, if no path is declared (`at` is nil), none in the root object. `arrays` has the paths
    /// of the root object's array members, at most eight.
    case noRecords(at: JSONPath?, found: String, arrays: [String])
    /// The object at the declared path was to be one record, and has no key but objects as members.
    case membersAreRecords(at: JSONPath)
    /// No path is declared and the root object has several array members, of which at most eight are named.
    case ambiguousRecords(candidates: [String])
    /// A name on the path to the records or to a wanted value is repeated, so that readers could differ in which one they use.
    case repeatedName(JSONPath, offset: Int)
    /// Outside the records; inside one it is a fault of the record.
    case tooDeep(limit: Int, offset: Int)
    /// More values than ``JSONLimits/maxValues``, arrays and objects included.
    case tooManyValues(limit: Int, offset: Int)
    /// More records than ``JSONLimits/maxRecords``.
    case tooManyRecords(limit: Int, offset: Int)
    /// Outside the records; inside one it is a fault of the record.
    case stringTooLong(limit: Int, offset: Int)
    /// 4 GiB or more.
    case tooLarge(bytes: Int)

    init(_ error: JSONSyntaxError, limits: JSONLimits) {
        switch error.problem {
        case .invalidUTF8, .byteOrderMark, .utf16: self = .notUTF8(error)
        case .tooDeep: self = .tooDeep(limit: limits.maxDepth, offset: error.offset)
        case .tooManyValues: self = .tooManyValues(limit: limits.maxValues, offset: error.offset)
        case .stringTooLong: self = .stringTooLong(limit: limits.maxStringBytes, offset: error.offset)
        default: self = .syntax(error)
        }
    }

    package var description: String {
        switch self {
        case .syntax(let error): "the page is not JSON: \(error)"
        case .notUTF8(let error): "the page is not UTF-8 JSON: \(error)"
        case .noRecords(let path, let found, let arrays): Self.noRecords(at: path, found: found, arrays)
        case .membersAreRecords(let path):
            "\(PlainText.oneLine(path.description, limit: 80)) is one record without its key, and its members are objects: "
                + "if they are the records, declare `records: \(PlainText.oneLine("\(path).*", limit: 80))`, and `key: $key` if "
                + "their names are the keys"
        case .ambiguousRecords(let candidates):
            "several arrays may be the records: \(Self.list(candidates)); declare one as `records`"
        case .repeatedName(let path, let offset):
            "byte \(offset): \(PlainText.oneLine(path.description, limit: 80)) stands twice in the page"
        case .tooDeep(let limit, let offset): "byte \(offset): arrays and objects are nested deeper than \(limit)"
        case .tooManyValues(let limit, let offset): "byte \(offset): the page has more than \(limit) values"
        case .tooManyRecords(let limit, let offset): "byte \(offset): the page has more than \(limit) records"
        case .stringTooLong(let limit, let offset): "byte \(offset): a string is longer than \(limit) bytes"
        case .tooLarge(let bytes): "the page has \(bytes) bytes; one page is read up to 4 GiB"
        }
    }

    private static func noRecords(at path: JSONPath?, found: String, _ arrays: [String]) -> String {
        guard let path else {
            return "the page is \(found) and holds no array of records; declare its path as `records`"
        }
        var hint = arrays.isEmpty ? "" : "; there are arrays at \(list(arrays))"
        if found == JSONKind.object.description, path != path.withoutEach {
            hint += "; without [*] the object is one record, with .* its members are records"
        }
        return
            "the records are expected at \(PlainText.oneLine(path.description, limit: 80)), where \(found) stands\(hint)"
    }

    private static func list(_ paths: [String]) -> String {
        paths.map { PlainText.oneLine($0, limit: 80) }.joined(separator: ", ")
    }
}
