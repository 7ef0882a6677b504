// SPDX-License-Identifier: Apache-2.0
import Foundation
import SidingChain
import SidingOrigin
import Testing

@Suite struct OperatingDocumentTests {
    @Test func `every command for operators runs, and a restored backup brings its records back`() async throws {
        let issues = Dataset.filled(5, size: 60)
        let origin = try await Origin.start(routes: [RecordListing("/issues", of: issues, paging: .link)])
        let sandbox = try Sandbox()
        let document = try RunnableDocument("Docs/Operating.md", without: "## Space")
        #expect(document.commands.count >= 6)
        try await document.run(in: sandbox, [("https://api.example.com", origin.url.origin)])
        #expect(try await sandbox.count("issues") == 5)
        await origin.stop()
    }
}
