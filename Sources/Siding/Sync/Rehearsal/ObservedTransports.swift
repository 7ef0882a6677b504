internal import HTTPTypes
internal import SidingChain
internal import SidingSynchronization

/// Transports that record every request for a rehearsal.
struct ObservedTransports: TransportFactory {
    let base: any TransportFactory
    let log: RequestLog

    func transport(for account: String, _ settings: TransportSettings) -> any Transport {
        ObservingTransport(
            base.transport(for: account, settings), before: { log.note($0) }, after: { log.note($1, of: $0) })
    }
}

/// The requests sent so far, in order.
final class RequestLog: Sendable {
    private let noted = Mutex<[(request: HTTPRequest, status: Int?)]>([])

    func note(_ request: HTTPRequest) { noted.withLock { $0.append((request, nil)) } }

    /// Of equal requests the last one that has no status is meant: one that failed never gets any.
    func note(_ status: HTTPResponse.Status, of request: HTTPRequest) {
        noted.withLock { noted in
            guard let place = noted.lastIndex(where: { $0.status == nil && $0.request == request }) else { return }
            noted[place].status = status.code
        }
    }

    func requests(hiding secret: Set<String>) -> [RehearsedRequest] {
        noted.withLock { $0 }.map { request, status in
            RehearsedRequest(
                method: request.method.rawValue,
                url: Self.url(of: request).map { Redaction.url($0, also: secret) } ?? "", status: status)
        }
    }

    private static func url(of request: HTTPRequest) -> HTTPURL? {
        try? HTTPURL("\(request.scheme ?? "")://\(request.authority ?? "")\(request.path ?? "/")")
    }
}
