// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@Suite struct ConfigReferenceTests {
    private static let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Docs/Reference.md")

    @Test func `the reference of the config is the one that the grammar gives`() throws {
        let page = ConfigReference.page()
        if ProcessInfo.processInfo.environment["SIDING_REFERENCE"] == "write" {
            try Data(page.utf8).write(to: Self.file)
        }
        let stored = try? String(contentsOf: Self.file, encoding: .utf8)
        #expect(stored == page, "'make reference' writes it")
    }
}
