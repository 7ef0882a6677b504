// SPDX-License-Identifier: Apache-2.0
internal import SidingJSON
internal import FoundationEssentials
public import HTTPTypes
internal import SidingSynchronization

/// An absolute http or https URL, checked before any network code sees it.
///
/// A service behind a Unix socket has the scheme `http+unix`, and the socket's path, percent-encoded, as its host:
/// `http+unix://%2Frun%2Fdocker.sock/v1.41`.
///
/// Rejects ports outside 1…65535, user information, other schemes, control characters and missing hosts, because a library
/// below may trap on them. Parsing and reference resolution follow RFC 3986 §3 and §5.
public struct HTTPURL: Sendable, Hashable, CustomStringConvertible {
    /// `http`, `https` or `http+unix`.
    public let scheme: String
    /// Lower case, without brackets around an IPv6 address; for `http+unix` the path of the socket.
    public let host: String
    /// The port as written, or the scheme's default.
    public let port: Int
    /// Percent-encoded, begins with `/`.
    public let path: String
    /// Percent-encoded, without `?`; nil if there is none.
    public let query: String?

    /// Parses and checks an absolute URL. Its fragment is dropped, as it is never sent (RFC 9110 §7.1).
    ///
    /// - Throws: ``Failure/Reason/invalidRequest`` that describes the problem.
    public init(_ text: String) throws(Failure) {
        guard let url = Self.parse(text, relativeTo: nil) else { throw Self.refusal(text, "it is not a URL") }
        try self.init(url, text: text)
    }

    /// Resolves a reference, such as a `Link` target, against this URL.
    ///
    /// - Throws: ``Failure/Reason/invalidRequest`` if the result is not an allowed URL.
    public func resolve(_ reference: String) throws(Failure) -> HTTPURL {
        guard let base = Self.parse(description, relativeTo: nil),
            let url = Self.parse(reference, relativeTo: base)?.absoluteURL
        else { throw Self.refusal(reference, "it is not a URL reference") }
        return try HTTPURL(url, text: reference)
    }

    private static func parse(_ text: String, relativeTo base: URL?) -> URL? {
        guard text.utf8.count <= 65_536, text.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value != 0x7F }) else {
            return nil
        }
        return URL(string: text, relativeTo: base)
    }

    private init(_ url: URL, text: String) throws(Failure) {
        guard let scheme = url.scheme?.lowercased(), ["http", "https", Self.unixScheme].contains(scheme) else {
            throw Self.refusal(text, "only http, https and http+unix are spoken")
        }
        guard url.user(percentEncoded: true) == nil, url.password(percentEncoded: true) == nil else {
            throw Self.refusal(Self.withoutUserInformation(text), "it carries user information; use `auth:` instead")
        }
        self.scheme = scheme
        (self.host, self.port) = try scheme == Self.unixScheme ? Self.socket(url, text) : Self.place(url, scheme, text)
        let path = url.path(percentEncoded: true)
        self.path = path.isEmpty ? "/" : path
        self.query = url.query(percentEncoded: true)
    }

    private static func place(_ url: URL, _ scheme: String, _ text: String) throws(Failure) -> (host: String, port: Int)
    {
        guard let host = url.host(percentEncoded: true)?.lowercased(), !host.isEmpty else {
            throw Self.refusal(text, "it names no host")
        }
        // A library below decodes it, so the requested host would not be the checked one.
        guard !host.contains("%") else { throw Self.refusal(text, "its host is percent-encoded") }
        guard Self.portIsWritable(url) else {
            throw Self.refusal(text, "its port is not between 1 and 65535")
        }
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        return (isBracketed ? String(host.dropFirst().dropLast()) : host, url.port ?? (scheme == "https" ? 443 : 80))
    }

    private static let unixScheme = "http+unix"

    private static func socket(_ url: URL, _ text: String) throws(Failure) -> (host: String, port: Int) {
        let path = PercentCoding.decode(url.host(percentEncoded: true) ?? "")
        // The addresses of sockets have room for 104 bytes on macOS, the last of them 0, and NIO takes no longer path anywhere.
        guard path.hasPrefix("/"), (2..<104).contains(path.utf8.count), url.port == nil, !path.utf8.contains(0) else {
            throw refusal(text, "its host is not the path of a socket such as %2Frun%2Fservice.sock")
        }
        return (path, 0)
    }

    private init(scheme: String, host: String, port: Int, path: String, query: String?) {
        (self.scheme, self.host, self.port, self.path, self.query) = (scheme, host, port, path, query)
    }

    private static func portIsWritable(_ url: URL) -> Bool {
        guard let port = url.port else {
            // URL returns nil for a port that is not a number or does not fit in an Int.
            let authority = url.absoluteString.split(separator: "/", omittingEmptySubsequences: true).dropFirst().first
            let tail = authority?.split(separator: "]").last ?? ""
            return !tail.contains(":") || tail.hasSuffix(":") || tail.hasPrefix("[")
        }
        return (1...65535).contains(port)
    }

    private static func withoutUserInformation(_ text: String) -> String {
        guard let at = text.lastIndex(of: "@"), let slashes = text.firstRange(of: "://") else { return text }
        return text[..<slashes.upperBound] + "…" + text[at...]
    }

    private static func refusal(_ text: String, _ why: String) -> Failure {
        // Query and fragment may hold secrets, and an unparsable URL cannot be redacted name by name.
        let shown = text.firstIndex { $0 == "?" || $0 == "#" }.map { text[...$0] + "…" } ?? text[...]
        return Failure(
            .invalidRequest, phase: .notSent,
            detail: "'\(PlainText.oneLine(String(shown), limit: 200))' cannot be asked: \(why)")
    }
}

extension HTTPURL {
    /// Scheme, host and port. Credentials are kept only while it is unchanged (RFC 6454 §4).
    public var origin: String { String(joining: scheme, "://", authority) }

    /// Host and port; the scheme's default port is left out.
    /// For `http+unix` the encoded path of the socket.
    public var authority: String {
        if isUnixSocket { return PercentCoding.encode(host) }
        let shownHost = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
        return port == (scheme == "https" ? 443 : 80) ? shownHost : String(joining: shownHost, ":", String(port))
    }

    /// Path and query for the request line.
    package var requestTarget: String { query.map { String(joining: path, "?", $0) } ?? path }

    public var description: String { origin + requestTarget }

    /// Whether the host is this machine, by name or address.
    package var isLoopback: Bool {
        if isUnixSocket || host == "localhost" || host == "::1" { return true }
        // Only a complete address: a foreign name may begin with 127 as well. By bytes, as each request asks.
        guard host.utf8.starts(with: "127.".utf8) else { return false }
        let parts = host.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count == 4
            && parts.allSatisfy { part in
                part.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains)
                    && UInt8(String(Substring(part))) != nil
            }
    }

    /// Whether it is behind a Unix socket.
    package var isUnixSocket: Bool { scheme == Self.unixScheme }

    /// A copy with another query.
    public func with(query: String?) -> HTTPURL {
        HTTPURL(scheme: scheme, host: host, port: port, path: path, query: query)
    }

    /// This URL with `path` appended below its own, as `base_url` and a resource's `path` are joined.
    ///
    /// A query in `path` is added to this URL's own.
    public func appending(path addition: String) throws(Failure) -> HTTPURL {
        if let joined = appending(plainPath: addition) { return joined }
        let base = path.hasSuffix("/") ? String(path.dropLast()) : path
        let separator = addition.isEmpty || addition.hasPrefix("/") || addition.hasPrefix("?") ? "" : "/"
        let joined = try HTTPURL("\(origin)\(base)\(separator)\(addition)")
        guard let own = query, !own.isEmpty else { return joined }
        return joined.with(query: joined.query.map { "\(own)&\($0)" } ?? own)
    }

    /// Joins without parsing if `addition` has no characters that a parser would interpret: the common case, once per request.
    /// Nil otherwise.
    private func appending(plainPath addition: String) -> HTTPURL? {
        let bytes = addition.utf8
        guard bytes.first == UInt8(ascii: "/"), path.utf8.count + bytes.count < 16_384, host.utf8.count < 1_024,
            bytes.allSatisfy({ PercentCoding.isUnreserved($0) || $0 == UInt8(ascii: "/") })
        else { return nil }
        let base = path.utf8.last == UInt8(ascii: "/") ? path.dropLast() : path[...]
        return HTTPURL(
            scheme: scheme, host: host, port: port, path: String(joining: base, "", addition),
            query: query == "" ? nil : query)
    }

    /// The request head for this URL.
    public func request(_ method: HTTPRequest.Method, headerFields: HTTPFields = [:]) -> HTTPRequest {
        HTTPRequest(
            method: method, scheme: scheme, authority: authority, path: requestTarget, headerFields: headerFields)
    }
}

extension HTTPURL {
    /// The URL of a request head, for the ``Reply`` of a ``Transport`` of your own.
    ///
    /// - Throws: ``Failure/Reason/invalidRequest`` if scheme, authority and path do not form a valid URL.
    public init(of request: HTTPRequest) throws(Failure) {
        try self.init("\(request.scheme ?? "")://\(request.authority ?? "")\(request.path ?? "/")")
    }
}

extension HTTPRequest {
    /// The request's checked URL.
    ///
    /// - Throws: as ``HTTPURL/init(of:)``.
    package func checkedURL() throws(Failure) -> HTTPURL { try HTTPURL(of: self) }
}

extension String {
    /// Joins three texts with one allocation.
    init(joining first: some StringProtocol, _ middle: String, _ last: String) {
        self.init()
        reserveCapacity(first.utf8.count + middle.utf8.count + last.utf8.count)
        append(contentsOf: first)
        append(middle)
        append(last)
    }
}
