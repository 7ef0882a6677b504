/// The bounds within which a source is spoken to: what a transport is made with.
public struct TransportSettings: Sendable, Hashable {
    /// Until the connection stands, TLS included.
    public var connectTimeout: Duration
    /// The longest silence between two reads.
    public var idleTimeout: Duration
    /// The budget of one request, redirects and body included.
    public var totalTimeout: Duration
    /// The most bytes of a decompressed body.
    public var maxBody: Int
    /// The most redirects that a GET or HEAD follows; a write follows none but 307 and 308 on its own origin.
    public var redirects: Int
    /// The most connections to one host at a time.
    public var concurrency: Int
    /// Whether compressed answers are asked for.
    public var compression: Compression
    /// Bytes per second that an answer must reach after 30 seconds; 0 for no such rule.
    public var minimumRate: Int
    /// Whether http:// is spoken to hosts other than loopback.
    public var allowsPlainHTTP: Bool
    /// The `User-Agent` field where the request has none.
    public var userAgent: String

    /// When compressed answers are asked for.
    public enum Compression: Sendable, Hashable {
        /// gzip, but not over loopback, where it costs more than all the rest together.
        case automatic
        case always
        case never
    }

    public init(
        connectTimeout: Duration = .seconds(5),
        idleTimeout: Duration = .seconds(30),
        totalTimeout: Duration = .seconds(120),
        maxBody: Int = 64 << 20,
        redirects: Int = 5,
        concurrency: Int = 4,
        compression: Compression = .automatic,
        minimumRate: Int = 1024,
        allowsPlainHTTP: Bool = false,
        userAgent: String = "siding"
    ) {
        self.connectTimeout = connectTimeout
        self.idleTimeout = idleTimeout
        self.totalTimeout = totalTimeout
        self.maxBody = maxBody
        self.redirects = redirects
        self.concurrency = concurrency
        self.compression = compression
        self.minimumRate = minimumRate
        self.allowsPlainHTTP = allowsPlainHTTP
        self.userAgent = userAgent
    }
}

/// Makes transports, and keeps them: one per account, so that no connection is shared between credentials.
public protocol TransportFactory: Sendable {
    /// The transport of `account` with `settings`; the same one each time.
    func transport(for account: String, _ settings: TransportSettings) -> any Transport
}

extension TransportSettings {
    /// The same bounds, but for bodies that go to files: they may be large and take long.
    ///
    /// A transport's own limits hold for every body, and those for data in memory (64 MiB, two minutes) are too tight for
    /// files. What stalls still ends by ``idleTimeout`` and ``minimumRate``.
    ///
    /// - Parameters:
    ///   - limit: the most bytes of a file; as many as there is room for, unless said otherwise.
    ///   - totalTimeout: the budget of one download; a day unless said otherwise.
    public func forDownloads(upTo limit: Int = .max, within totalTimeout: Duration = .seconds(86_400)) -> Self {
        var settings = self
        (settings.maxBody, settings.totalTimeout) = (limit, totalTimeout)
        return settings
    }
}
