// SPDX-License-Identifier: Apache-2.0
import Logging
import NIOCore
import NIOEmbedded
import SidingSynchronization
import SidingTesting
import Testing
import TestSupport

@testable import Siding
@testable import SidingService

/// Connections: kept, slow, idle, too many, and at the end of the service.
@Suite(.timeLimit(.minutes(5))) struct ServerConnectionTests {
    private static let health = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"

    private static func limits(_ change: (inout ServiceLimits) -> Void) -> ServiceLimits {
        var limits = ServiceLimits()
        change(&limits)
        return limits
    }

    /// Limits with hardly any time for a request.
    private static let hurried = limits { $0.requestTime = .milliseconds(150) }
    /// Limits with little time for a request, and enough for one that is sent at once.
    private static let brisk = limits { $0.requestTime = .seconds(1) }

    @Test func `a connection serves many requests, one after the other or all at once`() async throws {
        let bench = try await ServiceBench()
        try await bench.serving { client in
            let connection = try client.connection()
            for _ in 0..<3 {
                try await connection.send(Self.health)
                #expect(try await connection.answer().status == 200)
            }
            try await connection.send(Self.health + Self.health + Self.health)
            for _ in 0..<3 { #expect(try await connection.answer().status == 200) }
        }
    }

    @Test func `HEAD answers with the head of GET`() async throws {
        let bench = try await ServiceBench()
        try await bench.syncTwice()
        try await bench.serving { client in
            let connection = try client.connection()
            for path in ["/", "/api/status", "/api/none", "/healthz", "/style.css"] {
                try await connection.send(ServerClient.request("HEAD", path, [:], port: client.port))
                let head = try await connection.answer(toHead: true)
                let get = try await client.get(path)
                #expect(head.status == get.status && head["Content-Length"] == String(get.body.count), "\(path)")
            }
            try await connection.send(ServerClient.request("HEAD", "/events", [:], port: client.port))
            #expect(try await connection.answer(toHead: true)["Content-Type"] == "text/event-stream")
            try await connection.send(Self.health)
            #expect(try await connection.answer().status == 200)
        }
    }

    @Test func `a request whose header fields trickle in is cut`() async throws {
        let bench = try await ServiceBench()
        try await bench.serving(limits: Self.hurried) { client in
            let connection = try client.connection()
            try await connection.send("GET / HTTP/1.1\r\nHost: localhost\r\n")
            await Self.trickle("X-A: b\r\n", into: connection)
            #expect(try await connection.rest() == "")
        }
    }

    @Test func `a request whose body trickles in is cut`() async throws {
        let bench = try await ServiceBench()
        let entry = try await bench.write()
        try await bench.serving(token: ServiceBench.token, limits: Self.hurried) { client in
            let connection = try client.connection()
            try await connection.send(
                """
                POST /api/queue/\(entry.id)/resolve?how=merge HTTP/1.1\r\nHost: localhost\r\n\
                Authorization: Bearer \(ServiceBench.token)\r\nContent-Length: 1000000\r\n\r\n
                """)
            await Self.trickle(" ", into: connection)
            #expect(try await connection.rest() == "")
            #expect(try await bench.history(entry.id).map(\.event) == [.accepted])
        }
    }

    /// Sends `text` again and again until the server has closed.
    private static func trickle(_ text: String, into connection: ServerConnection) async {
        for _ in 0..<100_000 {
            guard await connection.isOpen(), (try? await connection.send(text)) != nil else { return }
            await connection.pause()
        }
        Issue.record("the server did not close")
    }

    @Test func `an idle connection is closed, before its first request and after an answer`() async throws {
        let bench = try await ServiceBench()
        try await bench.serving(limits: Self.brisk) { client in
            #expect(try await client.connection().rest() == "")
            let connection = try client.connection()
            try await connection.send(Self.health)
            #expect(try await connection.answer().status == 200)
            #expect(try await connection.rest() == "")
        }
    }

    @Test func `more connections than the limit wait until one ends`() async throws {
        let bench = try await ServiceBench()
        try await bench.serving(limits: Self.limits { $0.connections = 1 }) { client in
            var first: ServerConnection? = try client.connection()
            try await first?.send(Self.health)
            #expect(try await first?.answer().status == 200)
            let second = try client.connection()
            try await second.send(Self.health)
            // The first one is still served.
            try await first?.send(Self.health)
            #expect(try await first?.answer().status == 200)
            #expect(await second.isSilent())
            first = nil
            #expect(try await second.answer().status == 200)
        }
    }

    /// More than the buffers of both sockets hold.
    private static let size = 5 << 20

    /// A service with a record of this size.
    private static func large() async throws -> ServiceBench {
        let bench = try await ServiceBench()
        bench.origin.set(#"[{"id":1,"title":"\#(String(repeating: "x", count: size))"}]"#)
        _ = try await bench.siding.sync(bench.notes)
        return bench
    }

    /// Asks for the large record so many times, and reads the head of the first answer.
    private static func slowReader(_ client: ServerClient, times: Int = 1) async throws -> ServerConnection {
        let reader = try ServerConnection(port: client.port, buffer: 4_096)
        let request = ServerClient.request("GET", "/api/records/notes/1", [:], port: client.port)
        try await reader.send(String(repeating: request, count: times))
        #expect(try await reader.head().status == 200)
        return reader
    }

    @Test func `an answer may be read for longer than a request may take to arrive`() async throws {
        let bench = try await Self.large()
        try await bench.serving(limits: Self.brisk) { client in
            let reader = try await Self.slowReader(client)
            // An idle connection is closed when that time is over.
            #expect(try await client.connection().rest() == "")
            #expect(try await reader.rest().utf8.count > Self.size)
        }
    }

    @Test func `an unread answer is given up`() async throws {
        let bench = try await Self.large()
        let limits = Self.limits { ($0.connections, $0.readingTime) = (1, .milliseconds(150)) }
        try await bench.serving(limits: limits) { client in
            let reader = try ServerConnection(port: client.port, buffer: 4_096)
            // Once it is served, no other one is accepted.
            try await reader.send(Self.health)
            #expect(try await reader.answer().status == 200)
            try await reader.send(ServerClient.request("GET", "/api/records/notes/1", [:], port: client.port))
            // The next one is served once the first is gone.
            #expect(try await client.get("/healthz").status == 200)
            #expect(try await reader.rest().utf8.count < Self.size)
        }
    }

    @Test(arguments: [
        "HTTP/1.0\r\n", "HTTP/1.0\r\nConnection: keep-alive\r\n", "HTTP/1.1\r\nConnection: close\r\n",
        "HTTP/1.1\r\nConnection: TE, Close\r\n",
    ])
    func `an answer says that it is the last, after HTTP 1.0 and where a client wants it`(_ version: String)
        async throws
    {
        let bench = try await ServiceBench()
        try await bench.serving { client in
            for path in ["/healthz", "/api/none"] {
                let connection = try client.connection()
                try await connection.send("GET \(path) \(version)Host: localhost\r\n\r\n")
                #expect(try await connection.answer()["Connection"] == "close")
                #expect(try await connection.rest() == "")
            }
        }
    }

    @Test func `a connection whose request lines cannot be checked is closed, and the log has it`() throws {
        let log = RecordedLog()
        let channel = EmbeddedChannel()
        try channel.connect(to: SocketAddress(unixDomainSocketPath: "/none")).wait()
        try #require(channel.isActive)
        // There is no decoder.
        try channel.pipeline.syncOperations.addHandler(RequestTimer(ServiceLimits(), logger: log.logger))
        #expect(!channel.isActive)
        #expect(log.lines.map(\.level) == [.error])
    }

    // MARK: Events

    @Test func `events need HTTP 1.1, regardless of the request's fields`() async throws {
        let bench = try await ServiceBench()
        try await bench.serving { client in
            let old = try client.connection()
            try await old.send("GET /events HTTP/1.0\r\nHost: localhost\r\n\r\n")
            #expect(try await old.answer().status == 505)
            let new = try client.connection()
            let fields = [RequestLine.oldVersionField: "1"]
            try await new.send(ServerClient.request("GET", "/events", fields, port: client.port))
            #expect(try await new.head().status == 200)
        }
    }

    private func listening(_ client: ServerClient) async throws -> ServerConnection {
        let connection = try client.connection()
        try await connection.send(ServerClient.request("GET", "/events", [:], port: client.port))
        let head = try await connection.head()
        try #require(head.status == 200)
        #expect(head["Content-Type"] == "text/event-stream" && head["Content-Length"] == nil)
        #expect(try await connection.text(through: "\n\n").hasSuffix("retry: 5000\n\n"))
        return connection
    }

    @Test func `a commit of any process is an event, and silence is not`() async throws {
        let bench = try await ServiceBench()
        let other = try await Store.open(at: bench.store.path, clock: bench.time.clock)
        try await bench.serving { client in
            let connection = try await listening(client)
            await bench.clock.sleepers(1)
            _ = try await other.beginRun(command: "sync")
            bench.clock.advance(by: EventStream.pulse)
            #expect(try await connection.text(through: "\n\n").hasSuffix("event: changed\ndata: {}\n\n"))
            for _ in 0..<15 {
                await bench.clock.sleepers(1)
                bench.clock.advance(by: EventStream.pulse)
            }
            #expect(try await connection.text(through: "\n\n").hasSuffix(": still here\n\n"))
        }
        await other.close()
    }

    @Test func `listeners are few, and one that leaves makes room`() async throws {
        let bench = try await ServiceBench()
        let log = RecordedLog(.info)
        try await bench.serving(limits: Self.limits { $0.listeners = 1 }, logger: log.logger) { client in
            var first: ServerConnection? = try await listening(client)
            _ = first
            #expect(try await client.get("/events").status == 503)
            first = nil
            // The server learns of it by itself, without a write.
            while true {
                let connection = try client.connection()
                try await connection.send(ServerClient.request("GET", "/events", [:], port: client.port))
                if try await connection.head().status == 200 { break }
            }
        }
        // Nothing failed.
        #expect(log.lines.map(\.description) == [])
    }

    // MARK: The end

    @Test func `a graceful stop waits for an answer that is read`() async throws {
        let bench = try await Self.large()
        try await bench.serving(limits: Self.limits { $0.stoppingTime = .seconds(30) }) { client in
            let reader = try await Self.slowReader(client)
            await client.stop()
            // Nothing more is accepted: the stop has begun.
            while (try? await client.get("/healthz")) != nil {}
            #expect(try await reader.rest().utf8.count > Self.size)
        }
    }

    @Test func `a graceful stop does not wait for long for unread answers`() async throws {
        let bench = try await Self.large()
        var reader: ServerConnection?
        let start = ContinuousClock.now
        try await bench.serving(limits: Self.limits { $0.stoppingTime = .milliseconds(50) }) { client in
            // The second one is not written before the first is read.
            reader = try await Self.slowReader(client, times: 3)
            await client.stop()
        }
        #expect(ContinuousClock.now - start < .seconds(30))
        let rest = try await #require(reader).rest()
        #expect(rest.utf8.count < 3 * Self.size)
    }

    @Test func `a graceful stop ends idle connections, half requests and event streams at once`() async throws {
        let bench = try await ServiceBench()
        let start = ContinuousClock.now
        // Nothing but the stop ends them in time.
        try await bench.serving(limits: Self.limits { $0.requestTime = .seconds(120) }) { client in
            let idle = try client.connection()
            try await idle.send(Self.health)
            #expect(try await idle.answer().status == 200)
            let half = try client.connection()
            try await half.send("POST /queue/x/hold HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n")
            let stream = try await listening(client)
            await bench.clock.sleepers(1)
            await client.stop()
            #expect(try await idle.rest() == "")
            _ = try await half.rest()
            #expect(try await stream.rest().hasSuffix("0\r\n\r\n"))
        }
        #expect(ContinuousClock.now - start < .seconds(30))
    }

    @Test func `a service whose task is cancelled ends as well`() async throws {
        let bench = try await ServiceBench()
        let place = Promise<HTTPService.Address>()
        let service = try bench.service(onListening: { place.resolve($0) })
        let running = Task { try await service.run() }
        let client = ServerClient(address: await place.value(), stop: {})
        let idle = try client.connection()
        try await idle.send(Self.health)
        #expect(try await idle.answer().status == 200)
        let stream = try await listening(client)
        running.cancel()
        _ = try await idle.rest()
        _ = try await stream.rest()
        _ = await running.result
    }
}
