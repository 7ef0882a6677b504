// SPDX-License-Identifier: Apache-2.0
public import SidingChain

/// Configures an ``HTTPTransport``: the limits of the source, and options of this transport.
public struct HTTPTransportConfiguration: Sendable, Hashable {
    /// Timeouts, limits, redirects, compression: the settings that every transport obeys.
    public var settings: TransportSettings
    /// The length of the windows in which `TransportSettings.minimumRate` is checked; 30 seconds by default.
    ///
    /// Each window is checked separately, so a fast start does not excuse a slow continuation.
    public var rateWindow: Duration

    /// The default `TransportSettings`, and a minimum rate that is checked every 30 seconds.
    public init(
        settings: TransportSettings = TransportSettings(),
        rateWindow: Duration = .seconds(30)
    ) {
        self.settings = settings
        self.rateWindow = rateWindow
    }
}
