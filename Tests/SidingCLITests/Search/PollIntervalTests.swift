// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingOrigin
import Testing

/// What an origin says of when to ask again, over a socket.
@Suite(.serialized)
struct PollIntervalTests {
    private func start(_ fields: HTTPFields) async throws -> (Origin, Sandbox) {
        let origin = try await Origin.start { _ in OriginResponse.json(#"[{"id":1}]"#, headerFields: fields) }
        let sandbox = try Sandbox()
        try sandbox.config(origin.config("key: id\nmax_age: 1ms"))
        #expect(try await sandbox.siding("sync").status == 0)
        return (origin, sandbox)
    }

    @Test func `a poll interval holds back a sync without a failure; --full requests anyway`() async throws {
        let (origin, sandbox) = try await start([HTTPField.Name("X-Poll-Interval")!: "3600"])
        let skipped = try await sandbox.siding("sync", "--json")
        #expect(skipped.status == 0)
        #expect(try skipped.object()["outcome"] == .string("skipped"))
        #expect(skipped.output.contains("X-Poll-Interval"))
        #expect(try await sandbox.siding("sync").everything == "")
        #expect(try await sandbox.siding("sync", "-v").error.contains("--full ignores this"))
        #expect(origin.requests.count == 1)
        #expect(try await sandbox.siding("status").output.contains("; no request for "))
        #expect(try await sandbox.siding("status", "--json").output.contains(#""not_before":""#))
        #expect(try await sandbox.siding("plan").output.contains("nothing now"))
        #expect(try await sandbox.siding("sync", "--full").status == 0)
        #expect(origin.requests.count == 2)
        await origin.stop()
    }

    @Test func `max-age counts with --max-age, and for the staleness in status`() async throws {
        let (origin, sandbox) = try await start([.cacheControl: "private, max-age=3600"])
        #expect(try await sandbox.siding("sync", "--max-age", "1ms").status == 0)
        #expect(origin.requests.count == 1)
        let status = try await sandbox.siding("status")
        #expect(status.output.contains("fresh, as the origin says for"))
        #expect(try await sandbox.siding("status", "--json").output.contains(#""fresh_until":""#))
        #expect(try await sandbox.siding("sync").status == 0)
        #expect(origin.requests.count == 2)
        await origin.stop()
    }
}
