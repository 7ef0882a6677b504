// SPDX-License-Identifier: Apache-2.0
internal import SidingSynchronization

/// An HTTP proxy, through which connections are made with `CONNECT` (RFC 9110 §9.3.6).
public struct Proxy: Sendable, Hashable, CustomStringConvertible {
    /// A host name or an address; IPv6 without brackets.
    public let host: String
    /// From 1 to 65535; 80 if the text has none.
    public let port: Int
    /// The user name and password for the proxy; nil if it asks for none.
    public let credentials: Credentials?

    /// A user name and a password, sent as `Proxy-Authorization: Basic` (RFC 7617) to the proxy alone.
    public struct Credentials: Sendable, Hashable {
        /// The user name; it may not have a colon (RFC 7617 §2).
        public let user: String
        /// Read when a connection is made, and never shown.
        public let password: TransportSecret

        /// Credentials beside the proxy's URL, so that the URL need not hold a password.
        public init(user: String, password: TransportSecret) {
            (self.user, self.password) = (user, password)
        }
    }

    /// Parses `http://proxy.example.com:3128`, with or without the scheme and `user:password@`. The default port is 80.
    ///
    /// - Parameters:
    ///   - text: the URL.
    ///   - credentials: those for the proxy, if the URL has none.
    /// - Throws: ``Failure/Reason/invalidRequest`` without the text, as it may hold a password.
    public init(_ text: String, credentials: Credentials? = nil) throws(Failure) {
        var rest = text[...]
        if let scheme = text.firstRange(of: "://") {
            guard text[..<scheme.lowerBound].lowercased() == "http" else {
                throw Self.refusal("its scheme is not http, and connections to a proxy have no other")
            }
            rest = text[scheme.upperBound...]
        }
        var own = credentials
        if let at = rest.lastIndex(of: "@") {
            let parts = rest[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                .map { PercentCoding.decode($0) }
            let password = parts.count > 1 ? parts[1] : ""
            own = Credentials(
                user: parts[0], password: TransportSecret("the proxy's URL") { () async throws(Failure) in password })
            rest = rest[rest.index(after: at)...]
        }
        guard let url = try? HTTPURL("http://\(rest)"), url.requestTarget == "/" else {
            throw Self.refusal("it is not a host and a port")
        }
        (host, port, self.credentials) = (url.host, url.port, own)
    }

    /// Host and port, without credentials.
    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    private static func refusal(_ why: String) -> Failure {
        Failure(.invalidRequest, phase: .notSent, detail: "the URL of the proxy cannot be used: \(why)")
    }
}

/// The reason of a failure to connect to the proxy, and not to the origin.
package struct UnreachedProxy: Error {
    package init() {}
}

/// Which requests go through which proxy; none by default.
///
/// Requests to this machine never do.
public struct ProxyRules: Sendable, Hashable {
    /// For https, which it only relays; nil for none.
    public var https: Proxy?
    /// For plain http. A source with credentials never sends them through it.
    public var http: Proxy?
    /// Hosts that are reached without a proxy.
    var exceptions: [ProxyException]

    /// - Parameters:
    ///   - https: for https; nil for none.
    ///   - http: for plain http; nil for none.
    ///   - exceptions: hosts that are reached without a proxy, each as in `no_proxy`: `*`, a host name with all names below it,
    ///     an address, or a block of addresses. Other texts are ignored.
    public init(https: Proxy? = nil, http: Proxy? = nil, exceptions: [String] = []) {
        (self.https, self.http) = (https, http)
        self.exceptions = exceptions.compactMap { ProxyException($0) }
    }

    /// The same proxy for everything.
    public init(_ proxy: Proxy, exceptions: [String] = []) {
        self.init(https: proxy, http: proxy, exceptions: exceptions)
    }

    /// Reads `https_proxy`, `http_proxy`, `all_proxy` and `no_proxy` as curl does: in lower or upper case, lower case first. The
    /// first variable that is set counts; an empty one stands for no proxy.
    ///
    /// `HTTP_PROXY` does not count in a CGI program, whose client could set it by a header field (httpoxy.org).
    ///
    /// - Throws: ``Failure/Reason/invalidRequest`` with the name of the variable that cannot be read.
    public init(environment: [String: String]) throws(Failure) {
        func proxy(_ names: [String]) throws(Failure) -> Proxy? {
            guard let name = names.first(where: { environment[$0] != nil }), let text = environment[name], !text.isEmpty
            else { return nil }
            do throws(Failure) { return try Proxy(text) } catch {
                var failure = error
                failure.detail = "the environment variable \(name): \(error.detail ?? "")"
                throw failure
            }
        }
        let all = ["all_proxy", "ALL_PROXY"]
        let isCGI = environment["REQUEST_METHOD"] != nil
        let exceptions = environment["no_proxy"] ?? environment["NO_PROXY"] ?? ""
        self.init(
            https: try proxy(["https_proxy", "HTTPS_PROXY"] + all),
            http: try proxy((isCGI ? ["http_proxy"] : ["http_proxy", "HTTP_PROXY"]) + all),
            exceptions: exceptions.split { $0 == "," || $0.isWhitespace }.map(String.init))
    }

    /// The proxy for `url`; nil if it is reached without one.
    public func proxy(for url: HTTPURL) -> Proxy? {
        guard let proxy = url.scheme == "https" ? https : url.scheme == "http" ? http : nil, !url.isLoopback,
            !exceptions.contains(where: { $0.fits(url) })
        else { return nil }
        return proxy
    }
}

/// One entry of `no_proxy`: `*`, a host name with all names below it, an address, or a block of addresses.
struct ProxyException: Sendable, Hashable {
    private enum Kind: Hashable, Sendable {
        case everything
        /// In lower case, without leading dots.
        case name(String)
        case block(address: [UInt8], bits: Int)
    }

    private let kind: Kind
    private let port: Int?

    /// - Returns: nil for a text that is none of these.
    init?(_ text: String) {
        let block = text.lowercased().split(separator: "/", maxSplits: 1)
        guard let first = block.first else { return nil }
        let (host, port) = Self.parts(first)
        self.port = port.flatMap { Int($0) }
        if let address = IPAddress.bytes(String(host)) {
            let bits = block.count > 1 ? Int(block[1]) ?? -1 : address.count * 8
            guard (0...address.count * 8).contains(bits) else { return nil }
            kind = .block(address: address, bits: bits)
        } else if host == "*" {
            kind = .everything
        } else {
            let name = (host.hasPrefix("*.") ? host.dropFirst(2) : host).drop { $0 == "." }
            guard !name.isEmpty, block.count == 1 else { return nil }
            kind = .name(String(name.hasSuffix(".") ? name.dropLast() : name))
        }
    }

    /// Host and port of `host`, `host:port`, an IPv6 address, `[IPv6]` or `[IPv6]:port`.
    private static func parts(_ text: Substring) -> (host: Substring, port: Substring?) {
        if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
            return (text[..<end].dropFirst(), text[end...].dropFirst(2))
        }
        guard let colon = text.firstIndex(of: ":"), IPAddress.bytes(String(text)) == nil else { return (text, nil) }
        return (text[..<colon], text[colon...].dropFirst())
    }

    func fits(_ url: HTTPURL) -> Bool {
        if let port, port != url.port { return false }
        switch kind {
        case .everything: return true
        case .name(let name):
            let host = url.host.hasSuffix(".") ? String(url.host.dropLast()) : url.host
            return host == name || host.hasSuffix(".\(name)")
        case .block(let address, let bits):
            guard let host = IPAddress.bytes(url.host), host.count == address.count else { return false }
            return (0..<bits).allSatisfy { bit in
                let mask = UInt8(0x80) >> UInt8(bit % 8)
                return host[bit / 8] & mask == address[bit / 8] & mask
            }
        }
    }
}
