// SPDX-License-Identifier: Apache-2.0
import SidingOrigin
import Testing

/// What becomes of a command whose standard output or error is closed or full.
@Suite(.serialized)
struct StandardFileTests {
    /// Runs the binary under a shell, as only a shell closes and redirects what the test wants closed and redirected.
    private func shell(_ redirection: String, _ arguments: String, in sandbox: Sandbox) async throws -> Int32 {
        try await sandbox.run("/bin/sh", ["-c", "'\(SidingBinary.path())' \(arguments) \(redirection)"]).status
    }

    @Test(arguments: ["2>&-", "2>/dev/full", "2>/dev/null"])
    func `a command continues where standard error cannot be written`(redirection: String) async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(service)
        #expect(try await shell(redirection, "sync -v", in: sandbox) == 0)
        #expect(try await shell(redirection, "check --config nothing.yaml", in: sandbox) == 78)
        #expect(try await sandbox.differences(from: service.items) == [])
        await service.origin.stop()
    }

    @Test func `closed standard files are not taken by the database`() async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(service)
        #expect(try await shell("<&- >&- 2>&-", "sync -v", in: sandbox) == 0)
        #expect(try await shell(">&-", "records list items", in: sandbox) == 0)
        #expect(try await sandbox.siding("db", "check").status == 0)
        await service.origin.stop()
    }
}
