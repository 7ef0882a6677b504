// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import SidingOrigin
import Testing

/// What `-vv` prints of requests.
@Suite(.serialized)
struct RequestLineTests {
    @Test func `each request has a line with its status, size and time`() async throws {
        let service = try await Service.start(items: 20)
        let sandbox = try Sandbox.with(service)
        let sync = try await sandbox.siding("sync", "-vv")
        #expect(sync.status == 0)
        let lines = sync.error.split(separator: "\n").filter { $0.hasPrefix("GET ") }
        #expect(lines.count == service.targets.count && lines.count >= 2, "\(sync.error)")
        for (line, target) in zip(lines, service.targets) {
            #expect(line.hasPrefix("GET \(service.url)\(target) 200 "), "\(line)")
            #expect(line.contains(#/ 200 [0-9.]+ (B|KiB) [0-9]+ (ms|s)$/#), "\(line)")
        }
        #expect(!sync.error.contains("node="))
        #expect(try await !sandbox.siding("sync", "-v").error.contains("GET "))
        let steps = try await sandbox.siding("sync", "--full", "-vvv")
        #expect(steps.error.contains("debug: request is sent") && steps.error.contains("GET \(service.url)/items"))
        await service.origin.stop()
    }

    @Test func `each try of a request has a line, also one without an answer`() async throws {
        let service = try await Service.start(items: 1)
        service.listen { number, _ in
            number == 1 ? OriginResponse.json("{}", status: .serviceUnavailable, headerFields: [.retryAfter: "0"]) : nil
        }
        let sandbox = try Sandbox.with(service)
        let sync = try await sandbox.siding("sync", "-vv")
        let lines = sync.error.split(separator: "\n").filter { $0.hasPrefix("GET ") }
        #expect(lines.first?.contains("/items 503 2 B") == true, "\(sync.error)")
        #expect(lines.count == service.targets.count)
        await service.origin.stop()
        let (gone, other) = try await (Service.start(items: 1), Sandbox())
        try other.config(gone.config())
        await gone.origin.stop()
        let failed = try await other.siding("sync", "-vv")
        #expect(failed.error.contains("GET \(gone.url)/items failed ("), "\(failed.error)")
    }

    @Test func `writes have lines, and JSON log lines are objects`() async throws {
        let service = try await Service.start(items: 1)
        service.listen { _, _ in OriginResponse.json(#"{"id":2}"#, status: .created) }
        let sandbox = try Sandbox.with(service)
        let sent = try await sandbox.siding("send", "POST", "shop:/items", "-d", "{}", "-vv", "--log-format", "json")
        #expect(sent.status == 0, "\(sent.everything)")
        let line = try #require(sent.error.split(separator: "\n").first { $0.contains(#""message":"request""#) })
        let object = try JSONDecoder().decode([String: JSONValue].self, from: Data(line.utf8))
        #expect(object["method"] == .string("POST") && object["status"] == .number(201))
        #expect(object["url"] == .string("\(service.url)/items") && object["bytes"] == .number(8))
        await service.origin.stop()
    }

    @Test func `secrets in addresses are hidden`() async throws {
        let service = try await Service.start(items: 1)
        let sandbox = try Sandbox.with(
            service, source: "auth: { type: api_key, in: query, name: own, key: { env: OWN } }")
        let sync = try await sandbox.siding(["sync", "-vv"], environment: ["OWN": "canary"])
        #expect(sync.status == 0 && sync.error.contains("?own=… 200"), "\(sync.error)")
        #expect(!sync.everything.contains("canary"))
        await service.origin.stop()
    }
}
