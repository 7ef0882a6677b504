// SPDX-License-Identifier: Apache-2.0
/// The limits for requests to a source; a transport is created with them.
public struct TransportSettings: Sendable, Hashable {
    /// The time limit for connecting, TLS included.
    public var connectTimeout = Duration.seconds(5)
    /// The longest pause between two reads.
    public var idleTimeout = Duration.seconds(30)
    /// The time limit of one request, redirects and body included.
    public var totalTimeout = Duration.seconds(120)
    /// The maximum size of a decompressed body in bytes.
    public var maxBody = 64 << 20
    /// The maximum number of redirects of a GET or HEAD; a write follows only 307 and 308 within its own origin.
    public var redirects = 5
    /// The other origins that a GET or HEAD may be redirected to, such as `https://cdn.example.com`; nil for any. None by default,
    /// because the response of another origin counts as that of the requested one.
    public var redirectOrigins: Set<String>? = []
    /// The maximum number of simultaneous connections to one host.
    public var concurrency = 4
    /// Whether compressed responses are requested.
    public var compression = Compression.automatic
    /// The bytes per second that a response must reach after 30 seconds; 0 for no limit.
    public var minimumRate = 1024
    /// Whether http:// is allowed for hosts other than loopback.
    public var allowsPlainHTTP = false
    /// The `User-Agent` field of requests that have none.
    public var userAgent = "siding"
    /// The proxies for requests to other machines; none by default.
    public var proxies = ProxyRules()
    /// What TLS trusts and shows.
    public var tls = TLSSettings()
    /// The interface of this machine that connections use, by its name or one of its addresses; nil, the default, leaves the
    /// choice to the routing table.
    ///
    /// Connections come from its first address; the route must allow that.
    public var interface: String?

    /// When compressed responses are requested.
    public enum Compression: Sendable, Hashable {
        /// gzip, except over loopback, where it costs more than everything else together.
        case automatic
        /// gzip, over loopback too.
        case always
        /// Only uncompressed responses.
        case never
    }

    /// The defaults of every source: connect within 5 s, no pause over 30 s, 2 minutes and 64 MiB for a request, 5
    /// redirects within the origin, 4 connections, at least 1024 bytes per second, https only.
    public init() {}
}

/// Creates and keeps transports: one per account, so that credentials never share a connection.
public protocol TransportFactory: Sendable {
    /// The transport of `account` with `settings`; the same one each time.
    func transport(for account: String, _ settings: TransportSettings) -> any Transport
}

extension TransportSettings {
    /// A copy for bodies that are written to files: they may be large, take long, and be kept by another origin.
    ///
    /// A transport's limits apply to every body, and those for data in memory (64 MiB, two minutes) are too tight for files.
    /// Stalled transfers still end by ``idleTimeout`` and ``minimumRate``.
    ///
    /// - Parameters:
    ///   - limit: the maximum size of a file in bytes; unlimited by default.
    ///   - totalTimeout: the time limit of one download; a day by default.
    public func forDownloads(upTo limit: Int = .max, within totalTimeout: Duration = .seconds(86_400)) -> Self {
        var settings = self
        (settings.maxBody, settings.totalTimeout, settings.redirectOrigins) = (limit, totalTimeout, nil)
        return settings
    }
}

/// The reason of a refused redirect by 302 or 303 of a request that may change something: it does not say that the request may be
/// repeated elsewhere, and often answers one that was carried out (RFC 9110 §15.4.4).
package struct RedirectedWrite: Error {
    package init() {}
}

/// The reason of a refused redirect to an origin that ``TransportSettings/redirectOrigins`` does not list.
package struct UnlistedOrigin: Error {
    /// Whether a portal may have sent the redirect, to its login page: a temporary one, to another host, in place of an origin
    /// that is asked over plain http. A portal has no certificate for others. Of two hosts on this machine neither is a portal.
    package let mayBePortal: Bool

    package init(mayBePortal: Bool = false) { self.mayBePortal = mayBePortal }
}
