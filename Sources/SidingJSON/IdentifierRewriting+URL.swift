internal import SidingSynchronization

extension IdentifierRewriting {
    /// The URL with the real identifier for every whole path segment and every whole query value that equals the temporary
    /// one once percent-decoded. All else stands byte for byte: names of parameters, parts of a segment, a fragment.
    ///
    /// The real one is written with everything but the unreserved characters of RFC 3986, section 2.3, percent-encoded. In a
    /// query value `+` is taken for itself and for a space, since both are in use.
    ///
    /// - Parameter text: a path with its query, or an absolute URL, whose scheme and authority are left alone. A path may
    ///   begin with two slashes; a network-path reference is not told from it.
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

    /// Behind `scheme://authority` (RFC 3986, section 3), or at the beginning where there is none.
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

    /// - Parameter query: with its question mark; empty where there is none.
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
        // Percent-encoding never makes a text shorter.
        text.count >= temporary.utf8.count && PercentCoding.decode(text, plus: plus).elementsEqual(temporary.utf8)
    }
}
