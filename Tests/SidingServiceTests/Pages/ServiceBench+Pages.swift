// SPDX-License-Identifier: Apache-2.0
import SidingSynchronization

@testable import SidingService

/// The pages without a server.
extension ServiceBench {
    static let formToken = "the-token-of-the-form"

    /// The page at an address as links have it.
    func shown(_ address: String, done: String? = nil) async throws -> ParsedPage {
        let parts = address.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let path = parts[0].split(separator: "/").map { PercentCoding.decode($0) }
        let query = try Parameters(parts.count > 1 ? parts[1] : "")
        return try ParsedPage(try await pages.page(path, query, formToken: Self.formToken, done: done))
    }
}
