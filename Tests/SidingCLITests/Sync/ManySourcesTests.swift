import Foundation
import HTTPTypes
import SidingOrigin
import SidingSynchronization
import SidingTesting
import Testing

/// Ten sources, of which one does not answer, one asks for patience, one lacks its secret and one its certificate.
@Suite(.serialized)
struct ManySourcesTests {
    private static let healthy = (1...6).map { "s\($0)" }
    private static let names = ["hung", "busy", "bare", "torn"] + healthy

    /// - Parameter hangs: is waited for before the hung source gets its answer, an error.
    private static func setUp(
        _ seen: Tally, resource: String = "", hangs: @escaping @Sendable () async -> Void
    ) async throws -> (service: Service, sandbox: Sandbox) {
        let service = try await Service.start(items: 1)
        service.listen { _, request in
            seen.note(request.path)
            switch request.path {
            case "/hung/items":
                await hangs()
                return .json("{}", status: .internalServerError)
            case "/busy/items":
                return .json("{}", status: .tooManyRequests, headerFields: [.retryAfter: "3600"])
            default: return .json(#"[{"id":1}]"#)
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

    @Test func `a service keeps the healthy sources fresh while another one does not answer`() async throws {
        let (seen, end) = (Tally(), Latch())
        let (service, sandbox) = try await Self.setUp(seen, resource: ", max_age: 1ms") { try? await end.wait() }
        let ended = try await sandbox.serve { _ in
            for name in ["hung", "busy"] { try await seen.reaches(1, "/\(name)/items") }
            for name in Self.healthy { try await seen.reaches(3, "/\(name)/items") }
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
