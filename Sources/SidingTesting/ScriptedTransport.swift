// SPDX-License-Identifier: Apache-2.0
public import HTTPTypes
public import SidingChain
internal import SidingSynchronization

/// A transport without a network: responds as scripted and records the requests.
///
/// ```swift
/// let transport = ScriptedTransport([.status(.serviceUnavailable), .text(#"[{"id":1}]"#)])
/// ```
public final class ScriptedTransport: Transport {
    /// A received request with its complete body.
    public struct Request: Sendable {
        /// The head: method, URL and header fields.
        public let request: HTTPRequest
        /// The whole body, also of a streamed one; empty if there was none.
        public let body: [UInt8]
    }

    /// Returns the outcome of a request.
    public typealias Script = @Sendable (Request) async -> ScriptedAnswer

    private let script: Script
    private let log = Mutex<[Request]>([])

    /// Responds by a closure.
    public init(_ script: @escaping Script) {
        self.script = script
    }

    /// Responds in order; a request after the last answer fails with ``SidingChain/Failure/Reason/internalFault``.
    public convenience init(_ answers: [ScriptedAnswer]) {
        let queue = ScriptedQueue(answers)
        self.init { _ in queue.next() }
    }

    /// Every request so far, in order.
    public var requests: [Request] { log.withLock { $0 } }

    /// Records the request once its body has been read, and answers by the script.
    ///
    /// - Throws: the failure of the script, or that of the body's stream.
    public func send(_ request: HTTPRequest, body: EncodedBody) async throws(Failure) -> Reply {
        let url = try request.checkedURL()
        let asked = Request(request: request, body: try await body.collected() ?? [])
        log.withLock { $0.append(asked) }
        return try await script(asked).reply(from: url)
    }
}

extension EncodedBody {
    /// All its bytes; nil without a body.
    func collected() async throws(Failure) -> [UInt8]? {
        switch self {
        case .none: return nil
        case .bytes(let bytes): return bytes
        case .stream(_, let chunks):
            do {
                let next = chunks()
                var bytes: [UInt8] = []
                while let chunk = try await next() { bytes += chunk }
                return bytes
            } catch {
                throw Failure.wrapping(error, phase: .notSent)
            }
        }
    }
}

private final class ScriptedQueue: Sendable {
    private let rest: Mutex<[ScriptedAnswer]>

    init(_ answers: [ScriptedAnswer]) {
        rest = Mutex(answers.reversed())
    }

    func next() -> ScriptedAnswer {
        rest.withLock { $0.popLast() }
            ?? .failure(Failure(.internalFault, phase: .notSent, detail: "the script has no answer for this request"))
    }
}

/// The outcome of one request to a ``ScriptedTransport``.
public enum ScriptedAnswer: Sendable {
    /// A response: the body in chunks, then its end, or the failure that ends it.
    case reply(HTTPResponse, chunks: [[UInt8]] = [], ending: Failure? = nil)
    /// No response.
    case failure(Failure)

    /// A response with text, as JSON by default.
    public static func text(
        _ body: String, status: HTTPResponse.Status = .ok, headerFields: HTTPFields = [.contentType: "application/json"]
    ) -> ScriptedAnswer {
        .reply(HTTPResponse(status: status, headerFields: headerFields), chunks: [Array(body.utf8)])
    }

    /// A response without a body.
    public static func status(_ status: HTTPResponse.Status, headerFields: HTTPFields = [:]) -> ScriptedAnswer {
        .reply(HTTPResponse(status: status, headerFields: headerFields))
    }

    func reply(from url: HTTPURL) throws(Failure) -> Reply {
        switch self {
        case .failure(let failure):
            throw failure
        case .reply(let response, let chunks, let ending):
            let rest = ScriptedBody(chunks, ending)
            let length = ending == nil ? chunks.reduce(0) { $0 + $1.count } : nil
            let body = ReplyBody(length: length) { () async throws(Failure) -> [UInt8]? in try rest.next() }
            return Reply(response: response, body: body, url: url)
        }
    }
}

/// Returns its chunks one by one, then its ending.
final class ScriptedBody: Sendable {
    private let rest: Mutex<[[UInt8]]>
    private let ending: Failure?

    init(_ chunks: [[UInt8]], _ ending: Failure?) {
        self.rest = Mutex(chunks.reversed())
        self.ending = ending
    }

    func next() throws(Failure) -> [UInt8]? {
        if let chunk = rest.withLock({ $0.popLast() }) { return chunk }
        if let ending { throw ending }
        return nil
    }
}
