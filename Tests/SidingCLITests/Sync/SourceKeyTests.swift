// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import SidingOrigin
import SidingSynchronization
import Testing

/// Keys of a source whose effect a command shows.
@Suite(.serialized)
struct SourceKeyTests {
    @Test(arguments: [(0, Int32(69)), (1, 0)])
    func `the config limits the number of redirects`(most: Int, code: Int32) async throws {
        let service = try await Service.start(items: 5)
        let sandbox = try Sandbox.with(service, source: "http: { redirects: \(most) }")
        service.origin.inject(.redirect(307, to: "/items?page=1"), at: OriginPattern(path: "/items"))
        #expect(try await sandbox.siding("sync").status == code)
        #expect(service.targets.count == most + 1)
        await service.origin.stop()
    }

    @Test func `a redirect to another origin is refused, unless the config lists it`() async throws {
        let (service, other) = (try await Service.start(items: 1), try await Service.start(items: 5))
        let redirect = OriginFault.redirect(302, to: "\(other.url)/items?token=secret")
        service.origin.inject(redirect, at: OriginPattern(path: "/items"), times: nil)
        let sandbox = try Sandbox.with(service)
        let refused = try await sandbox.siding("sync")
        #expect(refused.status == 69)
        #expect(refused.error.contains("it leads to another origin, \(other.url)"), "\(refused.error)")
        #expect(refused.error.contains("list it in http.redirect_to"), "\(refused.error)")
        #expect(other.targets == [])
        let listed = try Sandbox.with(service, source: "http: { redirect_to: [\(other.url)] }")
        #expect(try await listed.siding("sync").status == 0)
        #expect(try await listed.count() == 5)
        let why = try await listed.siding("records", "why", "items", "1")
        #expect(why.output.contains("GET \(other.url)/items?token=…"), "\(why.output)")
        let request = try await listed.siding("records", "why", "items", "1", "--json").object()["request"]
        #expect(request?["url"]?.string == "\(other.url)/items?token=…")
        await service.origin.stop()
        await other.origin.stop()
    }

    /// The defaults lead to waits of 8 s at most. A random wait up to 2,000 h is hardly shorter than that.
    @Test(arguments: [("1ms", -3_600.0...0), ("2000h", 10.0...7_200_000)])
    func `retry waits are random, up to the base at first and to the cap later`(
        limit: String, seconds: ClosedRange<Double>
    ) async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(service, source: "retry: { inline: 0, base: \(limit), cap: \(limit) }")
        service.origin.inject(.status(500), times: nil)
        for _ in 1...3 {
            #expect(try await sandbox.siding("sync").status == 75)
            let entry = try await sandbox.siding("queue", "list", "--json").object()
            let next = try #require(entry["next_attempt_at"]?.string)
            let time = try Date(next, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
            #expect(seconds.contains(time.timeIntervalSinceNow.rounded(.up)))
        }
        await service.origin.stop()
    }

    @Test(arguments: [1, 3])
    func `the config limits the number of requests under way at once`(most: Int) async throws {
        let service = try await Service.start(items: 0)
        let sandbox = try Sandbox.with(service, source: "http: { concurrency: \(most) }")
        for number in 1...6 {
            let entry = try await sandbox.siding("send", "PUT", "shop:/orders/\(number)", "-d", "{}", "--no-send")
            try #require(entry.status == 0)
        }
        let underWay = Mutex((now: 0, most: 0))
        let areAllThere = Latch()
        service.listen { _, _ in
            let now = underWay.withLock { state in
                state.now += 1
                state.most = max(state.most, state.now)
                return state.now
            }
            if now == most { areAllThere.open() }
            // Until as many as may be are there, none is answered.
            try? await areAllThere.wait()
            underWay.withLock { $0.now -= 1 }
            return .json("{}")
        }
        #expect(try await sandbox.siding("queue", "run").status == 0)
        #expect(underWay.withLock(\.most) == most)
        #expect(service.origin.requests.count == 6)
        await service.origin.stop()
    }

    /// A socket that nobody accepts from: the kernel makes the connection, and TLS never stands.
    @Test func `a connection that does not stand in the time of the config is given up`() async throws {
        let socket = try SilentListener()
        defer { socket.close() }
        let sandbox = try Sandbox()
        // Without its own bound the connection would have five seconds, and the request would end first.
        try sandbox.config(
            """
            version: 1
            database: { path: test.db }
            sources:
              shop:
                base_url: "https://127.0.0.1:\(socket.port)"
                retry: { inline: 0 }
                http: { connect_timeout: 200ms, total_timeout: 4s }
            resources: { items: { path: /items, key: id } }
            """)
        let sync = try await sandbox.siding("sync", "--json")
        #expect(sync.status == 75)
        let error = try sync.object()["error"]
        #expect(error?["name"] == .string("timeout"))
        #expect(error?["message"]?.string?.contains("connect") == true, "\(sync.everything)")
    }

    @Test func `a rule may match the name of a failure without an answer`() async throws {
        let service = try await Service.start()
        let rule = "errors: [{ when: { error: timeout }, do: fail }]"
        let sandbox = try Sandbox.with(
            service, source: "retry: { inline: 0 }, http: { idle_timeout: 300ms }, \(rule)")
        service.origin.inject(.hang, times: nil)
        let outcome = try await sandbox.siding("sync", "--json")
        #expect(try outcome.object()["outcome"] == .string("failed"))
        // That it would pass by itself is what the rule denies.
        #expect(outcome.status == 69)
        #expect(try await sandbox.siding("queue", "list", "--json").output == "")
        await service.origin.stop()
    }
}

/// A socket to which connections are made, and from which nothing ever comes.
private struct SilentListener {
    let port: UInt16
    private let descriptor: Int32

    init() throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        // Any port of the loopback address.
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0 && listen(descriptor, 16) == 0
                    && getsockname(descriptor, address, &length) == 0
            }
        }
        try #require(isListening)
        port = UInt16(bigEndian: address.sin_port)
    }

    func close() { _ = Glibc.close(descriptor) }
}
