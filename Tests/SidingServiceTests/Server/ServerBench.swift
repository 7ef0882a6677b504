import HTTPTypes
import Logging
import ServiceLifecycle
import SidingChain
import SidingSynchronization
import SidingTesting
import Testing

@testable import Siding
@testable import SidingService

/// A store as some syncs and writes leave it, and services that show it over real sockets.
struct ServerBench: Sendable {
    static let token = "0123456789abcdef-the-token"

    let directory: TemporaryDirectory
    let time = ManualWallClock()
    /// Drives the event streams.
    let clock = ManualClock()
    let origin = PostsOrigin()
    let siding: Siding
    let posts: AnyResource
    var store: Store { siding.store }

    init() async throws {
        directory = try TemporaryDirectory()
        let source = Source(name: "blog", baseURL: try HTTPURL("https://blog.test"), retry: RetryPolicy(retries: 0))
        var posts = AnyResource("posts", from: source, at: "/posts", key: "id")
        posts.schema = RecordSchema(contract: RecordContract(typeChange: .quarantine), history: HistoryRetention())
        self.posts = posts
        siding = try await Siding(
            store: .sqlite(path: directory.path(of: "test.db")), resources: [posts], transports: origin,
            environment: Environment(connectivity: TestConnectivity(), clock: clock, wallClock: time.clock))
    }

    /// Three records, one of them changed and one in quarantine, in two runs.
    func syncTwice() async throws {
        for page in [
            #"[{"id":1,"title":"first"},{"id":2,"title":"two words"}]"#,
            #"[{"id":1,"title":"changed"},{"id":2,"title":"two words"},{"id":3,"title":"third"},{"id":4,"title":7}]"#,
        ] {
            origin.set(page)
            _ = try? await siding.sync(posts)
            time.advance(by: .seconds(60))
        }
    }

    func write(_ path: String = "/posts") async throws -> QueueEntry {
        try await store.enqueue(
            WriteRequest(to: "blog", .post, try HTTPURL("https://blog.test\(path)"), body: Array(#"{"a":1}"#.utf8)))
    }

    func entry(_ id: String) async throws -> QueueEntry {
        try #require(try await store.entries(QueueSelection(ids: [id])).first)
    }

    func history(_ id: String) async throws -> [QueueEvent] { try await store.history(of: id) }

    // MARK: Services

    func service(
        at address: HTTPService.Address = .loopback(port: 0), token: String? = nil, allowedHosts: [String] = [],
        limits: ServiceLimits = ServiceLimits(), isLive: @escaping @Sendable () async -> Bool = { true },
        onListening: @escaping @Sendable (HTTPService.Address) async -> Void = { _ in }
    ) throws -> HTTPService {
        try HTTPService(
            ServedStore(store: store, resources: { [posts] }, wallClock: time.clock), address: address, token: token,
            allowedHosts: allowedHosts, logger: .silent, metrics: { "further 1\n" }, isLive: isLive, limits: limits,
            clock: clock, onListening: onListening)
    }

    /// Runs `body` while the service listens, and stops it gracefully.
    func serving(
        at address: HTTPService.Address = .loopback(port: 0), token: String? = nil, allowedHosts: [String] = [],
        limits: ServiceLimits = ServiceLimits(), isLive: @escaping @Sendable () async -> Bool = { true },
        _ body: (ServerClient) async throws -> Void
    ) async throws {
        let place = Promise<Result<HTTPService.Address, any Error>>()
        let service = try service(
            at: address, token: token, allowedHosts: allowedHosts, limits: limits, isLive: isLive,
            onListening: { place.settle(.success($0)) })
        let group = ServiceGroup(services: [service], logger: .silent)
        let running = Task {
            do { try await group.run() } catch {
                place.settle(.failure(error))
                throw error
            }
        }
        let client = ServerClient(
            address: try await place.value().get(), stop: { await group.triggerGracefulShutdown() })
        do { try await body(client) } catch {
            Issue.record(error)
        }
        await group.triggerGracefulShutdown()
        try await running.value
    }
}

/// Answers every listing with the page that was set last, and every write with 201.
final class PostsOrigin: TransportFactory {
    private let page = Mutex("[]")

    func set(_ text: String) { page.withLock { $0 = text } }

    func transport(for account: String, _ settings: TransportSettings) -> any Transport {
        ScriptedTransport { [self] asked in
            asked.request.method == .get ? .text(page.withLock { $0 }) : .text(#"{"id":9}"#, status: .created)
        }
    }
}

/// Asks a service.
struct ServerClient {
    let address: HTTPService.Address
    /// Asks the service to stop.
    let stop: @Sendable () async -> Void

    var port: Int {
        switch address {
        case .loopback(let port), .host(_, let port): port
        case .unixSocket: 0
        }
    }

    func connection() throws -> ServerConnection {
        if case .unixSocket(let path) = address { return try ServerConnection(path: path) }
        return try ServerConnection(port: port)
    }

    /// - Parameter fields: further header fields; `Host` is the address unless it is among them.
    static func request(
        _ method: String, _ path: String, _ fields: [String: String], body: String = "", port: Int
    ) -> String {
        var fields = fields
        fields["Host"] = fields["Host"] ?? "127.0.0.1:\(port)"
        if !body.isEmpty { fields["Content-Length"] = String(body.utf8.count) }
        let lines = fields.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)\r\n" }.joined()
        return "\(method) \(path) HTTP/1.1\r\n\(lines)\r\n\(body)"
    }

    func ask(
        _ method: String, _ path: String, _ fields: [String: String] = [:], body: String = ""
    ) async throws -> ServerAnswer {
        let connection = try connection()
        try await connection.send(Self.request(method, path, fields, body: body, port: port))
        return try await connection.answer(toHead: method == "HEAD")
    }

    func get(_ path: String, _ fields: [String: String] = [:]) async throws -> ServerAnswer {
        try await ask("GET", path, fields)
    }

    func status(_ path: String, host: String) async throws -> Int {
        try await get(path, ["Host": host]).status
    }

    /// Sends a form as a browser does that has the session of `cookie`.
    func post(
        _ path: String, form: String, cookie: String?, _ fields: [String: String] = [:]
    ) async throws -> ServerAnswer {
        var fields = fields
        fields["Content-Type"] = "application/x-www-form-urlencoded"
        fields["Origin"] = fields["Origin"] ?? "http://127.0.0.1:\(port)"
        fields["Cookie"] = cookie
        return try await ask("POST", path, fields, body: form)
    }

    /// A browser's session: the cookie of a page, and the token of its forms.
    func session(_ path: String) async throws -> (cookie: String, token: String) {
        let answer = try await get(path, ["Accept": "text/html"])
        let cookie = try #require(answer["Set-Cookie"]?.split(separator: ";").first)
        let token = try #require(answer.text.firstMatch(of: /name="token" value="([0-9a-f]{64})"/))
        return (String(cookie), String(token.1))
    }
}

extension ServerBench {
    /// Leaves a socket at `path` on which nobody listens.
    static func leaveSocket(at path: String) throws {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        let isBound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        try #require(isBound)
    }
}
