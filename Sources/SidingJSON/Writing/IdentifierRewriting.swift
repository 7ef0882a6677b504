internal import SidingSynchronization

/// Replaces a temporary identifier by the real one in bodies and URLs of requests that were written before the real one was
/// known.
///
/// Only whole values are replaced, never a part of a string or a member's name; every other byte is kept. Applying it again
/// changes nothing.
public struct IdentifierRewriting: Sendable {
    public let temporary: String
    /// A string or a number, written unchanged into bodies.
    public let real: JSONDocument
    /// The percent-encoded form for URLs.
    let encoded: [UInt8]

    /// - Parameters:
    ///   - temporary: compared by its UTF-8, so texts that differ in Unicode normalization are different.
    ///   - real: a string or a number.
    /// - Throws: ``IdentifierFault`` if one of them cannot be an identifier.
    public init(from temporary: String, to real: JSONDocument) throws(IdentifierFault) {
        guard !temporary.isEmpty else { throw .emptyTemporary }
        guard let text = real.string ?? real.digits else { throw .notAnIdentifier(real.kind) }
        guard !["", ".", ".."].contains(text) else { throw .namesAnotherPath(text) }
        self.temporary = temporary
        self.real = real
        encoded = PercentCoding.encode(text.utf8)
    }

    /// The body with every string value that equals the temporary identifier replaced, at any depth and however it is escaped.
    /// Without such values the body is returned unchanged. Takes linear time.
    public func replacing(in body: JSONDocument) -> JSONDocument {
        let places = body.bytes.withUnsafeBytes { StringFinder.places(of: Array(temporary.utf8), in: $0) }
        guard !places.isEmpty else { return body }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(body.bytes.count + places.count * real.bytes.count)
        var rest = body.bytes
        for place in places {
            let start = body.bytes.startIndex + place.lowerBound
            bytes.append(contentsOf: rest[..<start])
            bytes.append(contentsOf: real.bytes)
            rest = rest[(start + place.count)...]
        }
        bytes.append(contentsOf: rest)
        return JSONDocument(kind: JSONKind(firstByte: bytes[0]), checked: bytes[...])
    }
}

/// Finds string values that equal a text; ignores names.
private struct StringFinder: JSONObserver {
    private let text: [UInt8]
    private let base: UnsafePointer<UInt8>
    private var places: [Range<Int>] = []

    private init(text: [UInt8], base: UnsafePointer<UInt8>) {
        self.text = text
        self.base = base
    }

    /// - Returns: the ranges of the values, with their quotes, in bytes of the document.
    static func places(of text: [UInt8], in document: UnsafeRawBufferPointer) -> [Range<Int>] {
        let limits = JSONLimits(maxDepth: .max, maxValues: .max, maxStringBytes: .max)
        guard var scanner = try? JSONScanner(document, limits: limits) else { return [] }
        var finder = StringFinder(text: text, base: scanner.start)
        // The bytes were checked, so the scan reaches the end.
        try? scanner.value(tellingOf: &finder)
        return finder.places
    }

    mutating func string(_ string: ScannedString, in scanner: borrowing JSONScanner) throws(JSONSyntaxError) {
        // An escape is never shorter than the text that it encodes.
        guard string.isEscaped ? string.count > text.count : string.count == text.count else { return }
        guard text.withUnsafeBytes({ JSONString.areEqual(string.contents, toText: $0) }) else { return }
        places.append(string.start - 1 - base..<string.end + 1 - base)
    }

    mutating func open(
        _ kind: JSONKind, at position: UnsafePointer<UInt8>, in scanner: borrowing JSONScanner
    ) throws(JSONSyntaxError) {}
    mutating func name(_ name: ScannedString, in scanner: borrowing JSONScanner) throws(JSONSyntaxError) {}
    mutating func element() {}
    mutating func scalar(_ kind: JSONKind, from start: UnsafePointer<UInt8>, to end: UnsafePointer<UInt8>) {}
    mutating func close(at position: UnsafePointer<UInt8>) {}
}

extension IdentifierRewriting {
    /// The URL with every whole path segment and whole query value replaced that equals the temporary identifier after
    /// percent-decoding. All else is kept byte for byte: parameter names, parts of segments, the fragment.
    ///
    /// The real identifier is percent-encoded except for the unreserved characters of RFC 3986, section 2.3. In a query value `+`
    /// is read both literally and as a space, since both are in use.
    ///
    /// - Parameter text: a path with its query, or an absolute URL, whose scheme and authority are kept. A path may begin with
    ///   two slashes; network-path references are not recognized.
    public func replacing(inURL text: String) -> String {
        let url = Array(text.utf8)
        let fragment = url.firstIndex(of: UInt8(ascii: "#")) ?? url.endIndex
        let query = url[..<fragment].firstIndex(of: UInt8(ascii: "?")) ?? fragment
        let path = Self.pathStart(of: url[..<query])
        var bytes = Array(url[..<path])
        append(path: url[path..<query], to: &bytes)
        append(query: url[query..<fragment], to: &bytes)
        bytes.append(contentsOf: url[fragment...])
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The index after `scheme://authority` (RFC 3986, section 3), or the start if there is none.
    private static func pathStart(of url: ArraySlice<UInt8>) -> Int {
        guard let colon = url.firstIndex(where: { !isScheme($0) }), colon > url.startIndex,
            url[colon...].starts(with: "://".utf8)
        else { return url.startIndex }
        return url[(colon + 3)...].firstIndex(of: UInt8(ascii: "/")) ?? url.endIndex
    }

    private static func isScheme(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }

    private func append(path: ArraySlice<UInt8>, to bytes: inout [UInt8]) {
        let segments = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        for (index, segment) in segments.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: "/")) }
            bytes.append(contentsOf: isTemporary(segment) ? encoded[...] : segment)
        }
    }

    /// - Parameter query: with its question mark; may be empty.
    private func append(query: ArraySlice<UInt8>, to bytes: inout [UInt8]) {
        let pairs = query.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
        for (index, pair) in pairs.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: "&")) }
            let value = pair.drop { $0 != UInt8(ascii: "=") }.dropFirst()
            let isWhole = isTemporary(value) || isTemporary(value, plus: UInt8(ascii: " "))
            bytes.append(contentsOf: pair[..<value.startIndex])
            bytes.append(contentsOf: isWhole ? encoded[...] : value)
        }
    }

    private func isTemporary(_ text: ArraySlice<UInt8>, plus: UInt8 = UInt8(ascii: "+")) -> Bool {
        // Percent-encoding never shortens a text.
        text.count >= temporary.utf8.count && PercentCoding.decode(text, plus: plus).elementsEqual(temporary.utf8)
    }
}

/// Why one identifier cannot replace another.
public enum IdentifierFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// It would match every empty string.
    case emptyTemporary
    /// The real identifier is neither a string nor a number.
    case notAnIdentifier(JSONKind)
    /// The real identifier is empty, `.` or `..`, which would change the path (RFC 3986, section 5.2.4).
    case namesAnotherPath(String)

    public var description: String {
        switch self {
        case .emptyTemporary: "the temporary id is empty, so it cannot be told from other empty strings"
        case .notAnIdentifier(let kind): "the real id is \(kind); an id is a string or a number"
        case .namesAnotherPath(let text):
            "the real id is '\(text)', which in a URL's path would name another place; an id is neither empty nor made of "
                + "dots alone"
        }
    }
}
