public import SidingChain

/// Configures an ``HTTPTransport``: the limits of the source, and options of this transport.
public struct HTTPTransportConfiguration: Sendable, Hashable {
    /// Timeouts, limits, redirects, compression: the settings that every transport obeys.
    public var settings: TransportSettings
    /// A PEM file of certificates to trust in place of the system's; nil, the default, for the system's.
    ///
    /// There is no way to turn verification off.
    public var certificateAuthorities: String?
    /// The waiting time after which ``SidingChain/TransportSettings/minimumRate`` is checked; 30 seconds by default.
    ///
    /// Each such window is checked separately, so a fast start does not excuse a slow continuation.
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
