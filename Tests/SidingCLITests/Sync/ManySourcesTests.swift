// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import SidingOrigin
import SidingSynchronization
import SidingTesting
import Testing

/// Ten sources, of which one does not answer, one asks for patience, one lacks its secret and one its certificate: neither syncs
/// nor writes of the others wait for them.
@Suite(.serialized)
struct ManySourcesTests {
    static let healthy = (1...6).map { "s\($0)" }
    static let names = ["hung", "busy", "bare", "torn"] + healthy

    /// - Parameters:
    ///   - hangs: is waited for before the hung source gets its answer, an error.
    ///   - receives: gets the path of each request.
    static func setUp(
        _ seen: Tally, resource: String = "", hangs: @escaping @Sendable () async -> Void,
        receives: @escaping @Sendable (_ path: String) -> Void = { _ in }
    ) async throws -> (service: Service, sandbox: Sandbox) {
        let service = try await Service.start(items: 1)
        service.listen { _, request in
            seen.note(request.path)
            receives(request.path)
            switch request.path.split(separator: "/").first {
            case "hung":
                await hangs()
                return .json("{}", status: .internalServerError)
            case "busy": return .json("{}", status: .tooManyRequests, headerFields: [.retryAfter: "3600"])
            default: return request.method == "GET" ? .json(#"[{"id":1}]"#) : .json("{}", status: .created)
            }
        }
        let sandbox = try Sandbox()
        try sandbox.write("no certificate", to: "torn.pem")
        let more = [
            "bare": ", auth: { type: bearer, token: { env: NO_SUCH_TOKEN } }",
            "torn": ", tls: { certificate: torn.pem }",
        ]
        let sources = names.map { name in
            let url = name == "torn" ? "https://127.0.0.1:9" : "\(service.url)/\(name)"
            return "  \(name): { base_url: \(url), retry: { inline: 0 }\(more[name] ?? "") }"
        }
        let resources = names.map { "  of_\($0): { source: \($0), path: /items, key: id\(resource) }" }
        try sandbox.config(
            """
            version: 1
            database: { path: test.db }
            sources:
            \(sources.joined(separator: "\n"))
            resources:
            \(resources.joined(separator: "\n"))
            """)
        return (service, sandbox)
    }

    @Test func `a sync saves the healthy sources at once; exit code and status say which failed`() async throws {
        let seen = Tally()
        let (service, sandbox) = try await Self.setUp(seen) {
            // A run that asks one source after the other never comes so far.
            for name in Self.healthy { try? await seen.reaches(1, "/\(name)/items") }
        }
        let sync = try await sandbox.siding("sync", "--json")
        #expect(sync.status == 78, "\(sync.everything)")
        let reports = try sync.objects()
        #expect(reports.map { $0["resource"]?.string } == Self.names.map { "of_\($0)" })
        let outcomes = ["queued", "queued", "failed", "failed"] + Self.healthy.map { _ in "saved" }
        #expect(reports.map { $0["outcome"]?.string } == outcomes)
        let status = try await sandbox.siding("status", "--json").object()["resources"]?.array ?? []
        let errors: [String?] = ["http500", "http429", "credentialUnavailable", "credentialUnavailable"]
        #expect(status.map { $0["error"]?["name"]?.string } == errors + Self.healthy.map { _ in nil })
        #expect(try await sandbox.siding("status", "--strict").status == 5)
        // What the others lack is no business of this one.
        #expect(try await sandbox.siding("sync", "of_s1").status == 0)
        await service.origin.stop()
    }

    /// Leaves a write for each source in the queue, except for one.
    static func store(in sandbox: Sandbox, except other: String? = nil) async throws {
        for name in names where name != other {
            #expect(try await sandbox.siding("send", "PUT", "\(name):/order", "-d", "{}", "--no-send").status == 0)
        }
    }

    /// The writes that are not delivered, by source: their states.
    private static func open(in sandbox: Sandbox) async throws -> [String: String] {
        let entries = try await sandbox.siding("queue", "list", "--json").objects().filter {
            $0["kind"]?.string == "write"
        }
        return Dictionary(entries.map { ($0["source"]?.string ?? "", $0["state"]?.string ?? "") }) { first, _ in first }
    }

    private static let undelivered = ["hung": "queued", "busy": "queued", "bare": "queued", "torn": "queued"]

    @Test func `a sync delivers the writes of a source and syncs it, regardless of another one's waiting writes`()
        async throws
    {
        let seen = Tally()
        let (service, sandbox) = try await Self.setUp(seen) {
            // A run that sends all writes before it syncs anything never comes so far.
            for name in Self.healthy { try? await seen.reaches(1, "/\(name)/items") }
        }
        try await Self.store(in: sandbox)
        let sync = try await sandbox.siding("sync", "--json")
        #expect(sync.status == 78, "\(sync.everything)")
        #expect(sync.error.contains("the writes of 'bare' wait: secret env NO_SUCH_TOKEN"), "\(sync.everything)")
        let reports = try sync.objects()
        #expect(reports.map { $0["resource"]?.string } == Self.names.map { "of_\($0)" })
        #expect(reports.suffix(6).allSatisfy { $0["outcome"]?.string == "saved" })
        #expect(try await Self.open(in: sandbox) == Self.undelivered)
        let writes = service.origin.requests.filter { $0.method == "PUT" }.map(\.path).sorted()
        #expect(writes == (["hung", "busy"] + Self.healthy).map { "/\($0)/order" }.sorted())
        for name in Self.healthy {
            let requests = service.origin.requests.filter { $0.path.hasPrefix("/\(name)/") }
            #expect(requests.map(\.method) == ["PUT", "GET"])
        }
        await service.origin.stop()
    }

    @Test(arguments: [["queue", "run"], ["queue", "run", "--watch", "--source", "bare"]])
    func `a queue run names the sources whose writes wait for a secret, and delivers the others`(
        command: [String]
    ) async throws {
        let seen = Tally()
        let (service, sandbox) = try await Self.setUp(seen) {
            for name in Self.healthy { try? await seen.reaches(1, "/\(name)/order") }
        }
        try await Self.store(in: sandbox)
        let run = try await sandbox.siding(command)
        #expect(run.status == 78, "\(run.everything)")
        #expect(run.error.contains("the writes of 'bare' wait: secret env NO_SUCH_TOKEN"), "\(run.everything)")
        if !command.contains("--watch") { #expect(try await Self.open(in: sandbox) == Self.undelivered) }
        await service.origin.stop()
    }

    @Test
    func `an operator's retry of all writes delivers those to the healthy sources, regardless of the others`()
        async throws
    {
        let seen = Tally()
        let (service, sandbox) = try await Self.setUp(seen) {
            // A retry that sends one entry after the other never comes so far.
            for name in Self.healthy { try? await seen.reaches(1, "/\(name)/order") }
        }
        try await Self.store(in: sandbox)
        let retry = try await sandbox.siding("queue", "retry", "--all")
        #expect(retry.status == 78, "\(retry.everything)")
        #expect(try await Self.open(in: sandbox) == Self.undelivered)
        await service.origin.stop()
    }

    @Test func `a service keeps the healthy sources fresh while another one does not answer`() async throws {
        let (seen, end) = (Tally(), Latch())
        let (service, sandbox) = try await Self.setUp(seen, resource: ", max_age: 1ms") { try? await end.wait() }
        // Of this one the first answer, to whatever, stops all others.
        try await Self.store(in: sandbox, except: "busy")
        let ended = try await sandbox.serve { _ in
            for name in ["hung", "busy"] { try await seen.reaches(1, "/\(name)/items") }
            for name in Self.healthy { try await seen.reaches(3, "/\(name)/items") }
            for name in ["hung"] + Self.healthy { try await seen.reaches(1, "/\(name)/order") }
            #expect(seen("/hung/items") == 1)
            #expect(seen("/busy/items") == 1)
            #expect(seen("/bare/items") == 0)
        }
        end.open()
        #expect(ended.status == 0, "\(ended.error)")
        #expect(ended.error.contains("the secret env NO_SUCH_TOKEN cannot be read"), "\(ended.error)")
        await service.origin.stop()
    }
}
