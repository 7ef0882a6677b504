// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Logging
import ServiceLifecycle
import Siding
import SidingChain
import SidingCredentials
import SidingHTTP
import SidingManifest
import SidingOrigin
import SidingSynchronization
import SidingTesting
import Testing

/// A program that embeds Siding, over real sockets.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct EmbeddedServiceTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test func `twenty graceful stops leave no write uncertain that the origin answered in time`() async throws {
        let arrived = Mutex(Promise<Void>())
        let answered = Mutex(Promise<Void>())
        let origin = try await Origin.start { _ in
            arrived.withLock { $0 }.resolve(())
            await answered.withLock { $0 }.value()
            return .json("{}", status: .created)
        }
        let source = try Source(baseURL: origin.url.origin)
        for _ in 1...20 {
            arrived.withLock { $0 = Promise() }
            answered.withLock { $0 = Promise() }
            let siding = try await Siding(
                store: .sqlite(path: directory.path(of: "orders.db")), resources: [], sources: [source],
                transports: HTTPTransports())
            // No key: it may not be sent twice.
            var write = try WriteRequest.json(.post, "/orders", ["amount": 1], to: source)
            write.idempotency = nil
            let entry = try await siding.store.enqueue(write)
            let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            let group = ServiceGroup(services: [siding], logger: silent)
            let running = Task { try await group.run() }
            await arrived.withLock { $0 }.value()
            await group.triggerGracefulShutdown()
            answered.withLock { $0 }.resolve(())
            try await running.value
            #expect(try await siding.store.entries(QueueSelection(ids: [entry.id])).map(\.state) == [.done])
            await siding.store.close()
        }
        #expect(origin.requests.count == 20)
        await origin.stop()
    }

    /// Syncs and writes everything, and returns the credential of each request by its target.
    private func credentials(
        of resources: [AnyResource], _ sources: [Source], _ origins: [Origin], _ name: String
    ) async throws -> [String: Set<String>] {
        let siding = try await Siding(
            store: .sqlite(path: directory.path(of: "\(name).db")), resources: resources, sources: sources,
            transports: HTTPTransports())
        for resource in resources { try await siding.sync(resource) }
        for source in sources {
            #expect(try await siding.send(try .json(.post, "/orders", [1], to: source)).state == .done)
            for other in sources where other.baseURL.origin != source.baseURL.origin {
                var write = try WriteRequest.json(.post, "/orders", [1], to: other)
                write.source = source.name
                let error = await #expect(throws: StoreError.self) { try await siding.send(write) }
                #expect(error?.kind == .invalidWrite)
            }
        }
        await siding.store.close()
        var seen: [String: Set<String>] = [:]
        for origin in origins {
            for request in origin.requests {
                seen["\(origin.url.origin)\(request.path)", default: []].insert(
                    request.headerFields[.authorization] ?? "none")
            }
            origin.forgetRequests()
        }
        return seen
    }

    @Test func `two sources of one host keep their tokens apart, from code and from YAML`() async throws {
        let answer: Origin.Handler = { $0.method == "GET" ? .json(#"[{"id":1}]"#) : .json("{}", status: .created) }
        let (one, other) = (try await Origin.start(handler: answer), try await Origin.start(handler: answer))
        let places = [(one, "/a"), (one, "/b"), (other, "/a")]
        var expected: [String: Set<String>] = [:]
        for (number, (origin, path)) in places.enumerated() {
            for target in ["items", "orders"] {
                expected["\(origin.url.origin)\(path)/\(target)"] = ["Bearer token-\(number)"]
            }
        }
        let sources = try places.enumerated().map { number, place in
            try Source(
                baseURL: "\(place.0.url.origin)\(place.1)", authorization: .bearer { "token-\(number)" })
        }
        let resources = sources.enumerated().map { number, source in
            AnyResource("items\(number)", from: source, at: "/items", key: "id")
        }
        #expect(try await credentials(of: resources, sources, [one, other], "code") == expected)

        let yaml = (0..<3).map { number in
            "  s\(number): { base_url: '\(places[number].0.url.origin)\(places[number].1)', "
                + "auth: { type: bearer, token: { env: T\(number) } } }"
        }
        let items = (0..<3).map { "  items\($0): { source: s\($0), path: /items, key: id }" }
        let config = try Config.parse(
            "version: 1\nsources:\n\(yaml.joined(separator: "\n"))\nresources:\n\(items.joined(separator: "\n"))\n",
            file: directory.path(of: "siding.yaml"),
            environment: ConfigEnvironment(
                variables: ["T0": "token-0", "T1": "token-1", "T2": "token-2"], workingDirectory: directory.path))
        #expect(try await credentials(of: config.resources, config.sources, [one, other], "yaml") == expected)
        await one.stop()
        await other.stop()
    }
}
