// SPDX-License-Identifier: Apache-2.0
public import SidingChain
internal import SidingSynchronization

/// Creates one ``HTTPTransport`` per account and settings, and keeps it for later requests.
public final class HTTPTransports: TransportFactory {
    private let made = Mutex<[Account: HTTPTransport]>([:])

    private struct Account: Hashable {
        var name: String
        var settings: TransportSettings
    }

    /// Starts with no transports; each is made when it is first asked for. Call ``shutdown()`` at the end.
    public init() {}

    public func transport(for account: String, _ settings: TransportSettings) -> any Transport {
        let key = Account(name: account, settings: settings)
        return made.withLock { made in
            if let transport = made[key] { return transport }
            let transport = HTTPTransport(
                HTTPTransportConfiguration(settings: settings))
            made[key] = transport
            return transport
        }
    }

    /// Ends the requests in flight of every transport.
    public func shutdown() async {
        for transport in made.exchange([:]).values { await transport.shutdown() }
    }
}
