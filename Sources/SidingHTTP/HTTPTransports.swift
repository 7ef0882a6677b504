public import SidingChain
internal import SidingSynchronization

/// Makes an ``HTTPTransport`` per account, and keeps it for the account's later requests.
public final class HTTPTransports: TransportFactory {
    private let certificateAuthorities: String?
    private let made = Mutex<[Account: HTTPTransport]>([:])

    private struct Account: Hashable {
        var name: String
        var settings: TransportSettings
    }

    /// - Parameter certificateAuthorities: a PEM file to trust in place of the system's certificates.
    public init(certificateAuthorities: String? = nil) {
        self.certificateAuthorities = certificateAuthorities
    }

    public func transport(for account: String, _ settings: TransportSettings) -> any Transport {
        let key = Account(name: account, settings: settings)
        return made.withLock { made in
            if let transport = made[key] { return transport }
            let transport = HTTPTransport(
                HTTPTransportConfiguration(settings: settings, certificateAuthorities: certificateAuthorities))
            made[key] = transport
            return transport
        }
    }

    /// Ends what is under way in every transport.
    public func shutdown() async {
        let all = made.withLock { made in
            defer { made = [:] }
            return Array(made.values)
        }
        for transport in all { await transport.shutdown() }
    }
}
