// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Siding
import SidingChain
import SidingCredentials
import SidingInspection
import SidingManifest
import SidingSynchronization

/// Makes transports that print a line for each request, as `-vv` asks for:
/// `GET https://api.example.com/issues?page=2 200 9.6 KiB 46 ms`.
///
/// Each try has its own line, which is printed when its answer was read. What a redirect asks for is part of its request.
struct RequestLines: TransportFactory {
    let wrapped: any TransportFactory
    let format: GlobalOptions.LogFormat
    /// The query parameters of a source whose values are not shown.
    let secretQueryNames: @Sendable (_ source: String) -> Set<String>

    func transport(for account: String, _ settings: TransportSettings) -> any Transport {
        let transport = wrapped.transport(for: account, settings)
        return RequestPrinter(wrapped: transport, format: format, secretQueryNames: secretQueryNames(account))
    }
}

extension GlobalOptions {
    /// `transports`, which print a line for each request with `-vv`.
    ///
    /// - Parameter config: the config of their sources; nil where there is none yet.
    func watching(
        _ transports: any TransportFactory, _ config: @autoclosure @escaping @Sendable () -> Config?
    ) -> any TransportFactory {
        guard verbose >= 2 else { return transports }
        return RequestLines(wrapped: transports, format: logFormat) { name in
            config()?.sources.first { $0.name == name }?.authorization.secretQueryNames ?? []
        }
    }
}

private struct RequestPrinter: Transport {
    let wrapped: any Transport
    let format: GlobalOptions.LogFormat
    let secretQueryNames: Set<String>

    func send(_ request: HTTPRequest, body: EncodedBody) async throws(Failure) -> Reply {
        try await printed(request) { () async throws(Failure) in try await wrapped.send(request, body: body) }
    }

    func send(
        _ request: HTTPRequest, body: EncodedBody, admitting admit: @Sendable (HTTPURL) async throws(Failure) -> Void
    ) async throws(Failure) -> Reply {
        try await printed(request) { () async throws(Failure) in
            try await wrapped.send(request, body: body, admitting: admit)
        }
    }

    private func printed(
        _ request: HTTPRequest, _ send: () async throws(Failure) -> Reply
    ) async throws(Failure) -> Reply {
        let url = Redaction.url(of: request, also: secretQueryNames)
        let line = RequestLine(method: request.method.rawValue, url: url, format: format)
        do throws(Failure) {
            var reply = try await send()
            line.answered(reply.response.status.code)
            let body = reply.body
            reply.body = ReplyBody(length: body.length) { () async throws(Failure) -> [UInt8]? in
                do throws(Failure) {
                    let chunk = try await body.next()
                    line.read(chunk?.count)
                    return chunk
                } catch {
                    line.failed(error)
                    throw error
                }
            }
            return reply
        } catch {
            line.failed(error)
            throw error
        }
    }
}

/// The line of one request. It is printed once: at the end of the answer, when that fails, or when nobody reads on.
private final class RequestLine: Sendable {
    private struct State {
        var status: Int?
        var bytes = 0
        var isPrinted = false
    }

    private let method: String
    private let url: String
    private let format: GlobalOptions.LogFormat
    private let start = ContinuousClock.now
    private let state = Mutex(State())

    init(method: String, url: String, format: GlobalOptions.LogFormat) {
        (self.method, self.url, self.format) = (method, url, format)
    }

    deinit { print(nil) }

    func answered(_ status: Int) { state.withLock { $0.status = status } }

    /// - Parameter count: the size of a piece of the body; nil at its end.
    func read(_ count: Int?) {
        if let count { state.withLock { $0.bytes += count } } else { print(nil) }
    }

    func failed(_ failure: Failure) { print(failure.reason.name) }

    private func print(_ failure: String?) {
        let state = state.withLock { state in
            defer { state.isPrinted = true }
            return state
        }
        guard !state.isPrinted, failure != nil || state.status != nil else { return }
        let duration = start.duration(to: .now)
        switch format {
        case .text:
            let status = state.status.map { [String($0), MessageFormat.size(state.bytes)] } ?? []
            let parts = [method, url] + status + (failure.map { ["failed (\($0))"] } ?? [])
            Output.printMessage("\(parts.joined(separator: " ")) \(MessageFormat.duration(duration))")
        case .json:
            let object: JSONObject = [
                "at": WallClock.system.now, "level": "info", "message": "request", "method": method, "url": url,
                "status": state.status, "bytes": state.bytes, "failure": failure,
                "duration_ms": Int(duration.wholeMicroseconds / 1000),
            ]
            Output.printMessage(object.text)
        }
    }
}
