// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Siding
import SidingChain
import SidingTesting
import Testing

@testable import SidingInspection

/// A queue entry in words.
@Suite struct EntryTextTests {
    @Test func `an entry from a clock that was ahead is in the future, and due`() async throws {
        let (directory, time) = (try TemporaryDirectory(), ManualWallClock())
        let store = try await Store.open(at: directory.path(of: "store.db"), clock: time.clock)
        _ = try await store.enqueue(WriteRequest(to: "api", .post, HTTPURL("https://api.test/a"), body: []))
        time.advance(by: .seconds(-34_560_000))
        let entry = try #require(try await store.entries(QueueSelection()).first)
        let text = EntryText(entry, MessageFormat(now: time.now, isAbsolute: false))
        #expect(text.next == "due")
        #expect(text.lines(nil).first { $0.name == "since" }?.text == "400 d in the future")
    }
}
