internal import HTTPTypes
internal import SidingChain
internal import SidingSynchronization

/// Transports that note every request on its way.
struct ObservedTransports: TransportFactory {
    let base: any TransportFactory
    let log: RequestLog

    func transport(for account: String, _ settings: TransportSettings) -> any Transport {
        ObservedTransport(base: base.transport(for: account, settings), log: log)
    }
}

private struct ObservedTransport: Transport {
    let base: any Transport
    let log: RequestLog

    func send(_ request: HTTPRequest, body: RequestBody) async throws(Failure) -> Reply {
        let place = log.note(request)
        let reply = try await base.send(request, body: body)
        log.note(reply.response.status.code, at: place)
        return reply
    }

    func send(
        _ request: HTTPRequest, body: RequestBody, admitting admit: RedirectAdmission
    ) async throws(Failure) -> Reply {
        let place = log.note(request)
        let reply = try await base.send(request, body: body, admitting: admit)
        log.note(reply.response.status.code, at: place)
        return reply
    }
}

/// The requests that went out, in order.
final class RequestLog: Sendable {
    private let noted = Mutex<[(method: String, url: HTTPURL?, status: Int?)]>([])

    func note(_ request: HTTPRequest) -> Int {
        noted.withLock { noted in
            noted.append((request.method.rawValue, Self.url(of: request), nil))
            return noted.count - 1
        }
    }

    func note(_ status: Int, at place: Int) {
        noted.withLock { $0[place].status = status }
    }

    func requests(hiding secret: Set<String>) -> [RehearsedRequest] {
        noted.withLock { $0 }.map { method, url, status in
            RehearsedRequest(method: method, url: url.map { Redaction.url($0, also: secret) } ?? "", status: status)
        }
    }

    private static func url(of request: HTTPRequest) -> HTTPURL? {
        try? HTTPURL("\(request.scheme ?? "")://\(request.authority ?? "")\(request.path ?? "/")")
    }
}
