// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingHTTP

/// Network access for commands.
enum Network {
    /// Runs `work` with transports and shuts them down at the end; SIGINT or SIGTERM cancels it.
    ///
    /// - Returns: the result of `work`, and the exit status of a signal that arrived meanwhile.
    static func using<Value: Sendable>(
        _ work: @escaping @Sendable (HTTPTransports) async throws -> Value
    ) async throws -> (value: Value, stopped: ExitStatus?) {
        try await withTransports { http in try await Signals.stopping { try await work(http) } }
    }

    /// Runs `work` with transports and shuts them down at the end.
    static func withTransports<Value>(_ work: (HTTPTransports) async throws -> Value) async throws -> Value {
        let http = HTTPTransports()
        return try await perform {
            try await work(http)
        } finally: {
            await http.shutdown()
        }
    }
}

/// Transports for `--offline`: every request fails with `noInternetConnection` before it is sent.
struct OfflineTransports: TransportFactory {
    func transport(for account: String, _ settings: TransportSettings) -> any Transport { OfflineTransport() }
}

private struct OfflineTransport: Transport {
    func send(_ request: HTTPRequest, body: EncodedBody) async throws(Failure) -> Reply {
        throw Failure(.noInternetConnection, phase: .notSent, detail: "--offline was given")
    }
}
