import HTTPTypes
import SidingChain
import SidingHTTP

/// The network of a command.
enum Network {
    /// Runs `work` over transports that are shut down at its end; SIGINT or SIGTERM cancels it.
    ///
    /// - Returns: what `work` gave, and the exit status of the signal that came meanwhile.
    static func using<Value: Sendable>(
        _ work: @escaping @Sendable (HTTPTransports) async throws -> Value
    ) async throws -> (value: Value, stopped: ExitStatus?) {
        let http = HTTPTransports()
        let result: (value: Value, stopped: ExitStatus?)
        do { result = try await Signals.stopping { try await work(http) } } catch {
            await http.shutdown()
            throw error
        }
        await http.shutdown()
        return result
    }
}

/// No network at all: every request meets `noInternetConnection` before it is sent.
struct OfflineTransports: TransportFactory {
    func transport(for account: String, _ settings: TransportSettings) -> any Transport { OfflineTransport() }
}

private struct OfflineTransport: Transport {
    func send(_ request: HTTPRequest, body: RequestBody) async throws(Failure) -> Reply {
        throw Failure(.noInternetConnection, phase: .notSent, detail: "--offline was given")
    }
}
