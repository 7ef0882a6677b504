// SPDX-License-Identifier: Apache-2.0
import SidingOrigin
import SidingTesting
import Testing

/// What would end the process ends the run of one resource, with a message.
@Suite(.serialized)
struct HostileOriginTests {
    @Test func `an answer that no client expects fails its resource, and the next sync continues`() async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(service, source: "retry: { inline: 0 }")
        for status in ["000", "042", "099", "101"] {
            service.origin.inject(.bytes("HTTP/1.1 \(status) Odd\r\nContent-Length: 2\r\n\r\n[]"))
            let outcome = try await sandbox.siding("sync")
            #expect(outcome.status != 0 && outcome.status < 128, "\(status): \(outcome.status)")
            #expect(outcome.error.contains("the answer is not valid HTTP"), "\(status): \(outcome.error)")
        }
        #expect(try await sandbox.siding("sync").status == 0)
        await service.origin.stop()
    }

    @Test func `however few files may be open, a sync fails with a message or succeeds`() async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(service, source: "retry: { inline: 0 }")
        var succeeded = 0
        for limit in 8...26 {
            let outcome = try await sandbox.run(
                "/usr/bin/prlimit", ["--nofile=\(limit)", SidingBinary.path(), "sync"])
            #expect(outcome.status < 128, "\(limit) files: \(outcome.status), \(outcome.error)")
            if outcome.status == 0 { succeeded += 1 } else { #expect(!outcome.error.isEmpty, "\(limit) files") }
        }
        #expect(succeeded > 0)
        #expect(try await sandbox.siding("db", "check").status == 0)
        await service.origin.stop()
    }
}
