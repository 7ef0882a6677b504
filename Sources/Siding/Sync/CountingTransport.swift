internal import HTTPTypes
internal import SidingChain
internal import SidingSynchronization

/// Counts what goes out, inline retries included.
final class RequestCounter: Sendable {
    private let count = Atomic<Int>(0)
    var value: Int { count.load(ordering: .relaxed) }
    func add() { count.add(1, ordering: .relaxed) }
    /// The count, which begins anew.
    func take() -> Int { count.exchange(0, ordering: .relaxed) }
}

/// A transport that counts what it sends.
struct CountingTransport: Transport {
    private let transport: any Transport
    private let counter: RequestCounter

    init(_ transport: any Transport, counter: RequestCounter) {
        self.transport = transport
        self.counter = counter
    }

    func send(_ request: HTTPRequest, body: RequestBody) async throws(Failure) -> Reply {
        counter.add()
        return try await transport.send(request, body: body)
    }

    func send(
        _ request: HTTPRequest, body: RequestBody, admitting admit: RedirectAdmission
    ) async throws(Failure) -> Reply {
        counter.add()
        return try await transport.send(request, body: body, admitting: admit)
    }
}
