import HTTPTypes
import SidingChain

/// No network at all: every request meets `noInternetConnection` before it is sent.
struct OfflineTransports: TransportFactory {
    func transport(for account: String, _ settings: TransportSettings) -> any Transport { OfflineTransport() }
}

private struct OfflineTransport: Transport {
    func send(_ request: HTTPRequest, body: RequestBody) async throws(Failure) -> Reply {
        throw Failure(.noInternetConnection, phase: .notSent, detail: "--offline was given")
    }
}
