internal import SidingSynchronization

/// Puts the real identifier in the place of the temporary one in what was written before the real one was known: the bodies
/// and URLs of requests that depend on it.
///
/// Only a whole value is ever replaced: never a part of a string, never a member's name, and nothing else loses a byte.
/// Applied twice it does no more than once.
public struct IdentifierRewriting: Sendable {
    public let temporary: String
    /// A string or a number; in a body it is written as it is.
    public let real: JSONDocument
    /// What stands for it in a URL, percent-encoded.
    let encoded: [UInt8]

    /// - Parameters:
    ///   - temporary: compared by its UTF-8, so that texts which differ in Unicode normalisation are two.
    ///   - real: a string or a number.
    /// - Throws: ``IdentifierFault`` where one of them cannot be an identifier.
    public init(from temporary: String, to real: JSONDocument) throws(IdentifierFault) {
        guard !temporary.isEmpty else { throw .emptyTemporary }
        guard let text = real.string ?? real.digits else { throw .notAnIdentifier(real.kind) }
        guard !["", ".", ".."].contains(text) else { throw .namesAnotherPath(text) }
        self.temporary = temporary
        self.real = real
        encoded = PercentCoding.encode(text.utf8)
    }

    /// The body with the real identifier for every string value that equals the temporary one, at whatever depth and
    /// however it is escaped. A body without it is given back as it is. Takes time in proportion to it.
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

/// Notes where a string value stands for a text; names are passed over.
private struct StringFinder: JSONObserver {
    private let text: [UInt8]
    private let base: UnsafePointer<UInt8>
    private var places: [Range<Int>] = []

    private init(text: [UInt8], base: UnsafePointer<UInt8>) {
        self.text = text
        self.base = base
    }

    /// - Returns: the places with their quotes, in bytes of the document.
    static func places(of text: [UInt8], in document: UnsafeRawBufferPointer) -> [Range<Int>] {
        let limits = JSONLimits(maxDepth: .max, maxValues: .max, maxStringBytes: .max)
        guard var scanner = try? JSONScanner(document, limits: limits) else { return [] }
        var finder = StringFinder(text: text, base: scanner.start)
        // The bytes were checked: the scan comes to the end.
        try? scanner.value(tellingOf: &finder)
        return finder.places
    }

    mutating func string(_ string: ScannedString, in scanner: borrowing JSONScanner) throws(JSONSyntaxError) {
        // An escape is never shorter than what it stands for.
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
