public import SidingChain

/// What an ``HTTPTransport`` is made with: the source's bounds, and what only this transport knows of.
public struct HTTPTransportConfiguration: Sendable, Hashable {
    /// Timeouts, limits, redirects, compression: the bounds that every transport keeps.
    public var settings: TransportSettings
    /// A PEM file whose certificates are trusted in place of the system's; nil, the default, for the system's.
    ///
    /// There is no way to turn verification off.
    public var certificateAuthorities: String?
    /// How much waiting for bytes it takes before ``SidingChain/TransportSettings/minimumRate`` is judged; 30 seconds.
    ///
    /// Each such span is judged by itself, so a fast beginning does not excuse a trickle.
    public var rateWindow: Duration

    public init(
        settings: TransportSettings = TransportSettings(),
        certificateAuthorities: String? = nil,
        rateWindow: Duration = .seconds(30)
    ) {
        self.settings = settings
        self.certificateAuthorities = certificateAuthorities
        self.rateWindow = rateWindow
    }
}
