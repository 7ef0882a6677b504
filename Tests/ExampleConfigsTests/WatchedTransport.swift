// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingSynchronization
import SidingTesting

/// Answers from a tape, in its order, and keeps the requests as they were sent.
final class WatchedTransport: Transport, TransportFactory {
    private let replaying: ReplayingTransport
    private let requests = Mutex<[HTTPRequest]>([])

    init(_ tape: Tape) {
        replaying = ReplayingTransport(tape, order: .strict)
    }

    func transport(for account: String, _ settings: TransportSettings) -> any Transport { self }

    func send(_ request: HTTPRequest, body: EncodedBody) async throws(Failure) -> Reply {
        requests.withLock { $0.append(request) }
        return try await replaying.send(request, body: body)
    }

    /// The requests since the last look.
    func takeRequests() -> [HTTPRequest] {
        requests.withLock { requests in
            defer { requests = [] }
            return requests
        }
    }

    /// The exchanges that nobody asked for.
    var unused: [Tape.Exchange] { replaying.unused }

    static func line(_ request: HTTPRequest) -> String {
        "\(request.method.rawValue) \(request.scheme ?? "")://\(request.authority ?? "")\(request.path ?? "")"
    }
}

extension HTTPRequest {
    /// The values of a header field that has no constant.
    func field(_ name: String) -> String? { HTTPField.Name(name).flatMap { headerFields[$0] } }
}
