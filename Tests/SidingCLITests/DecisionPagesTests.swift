// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

/// The pages of decisions: a reader sees first whether one still holds.
@Suite struct DecisionPagesTests {
    @Test func `every decision states below its title whether it holds or what replaced it`() throws {
        let pages = try DocumentPages.all().filter { $0.key.hasPrefix("Docs/Decisions/") }
        #expect(pages.count >= 54)
        for (path, page) in pages {
            let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
            let status = try #require(lines.dropFirst(2).first, "\(path)")
            let isSaid = status.hasPrefix("**Status.** Holds") || status.hasPrefix("**Status.** Replaced by [Decision ")
            #expect(lines[1].isEmpty && isSaid, "\(path): \(status)")
        }
    }
}
