// SPDX-License-Identifier: Apache-2.0
import Foundation
import Siding
import SidingChain
import SidingSchedule

/// `2026-03-29T01:00:00Z`.
func moment(_ text: String) throws -> Timestamp {
    Timestamp(secondsSince1970: try Date(text, strategy: .iso8601).timeIntervalSince1970)
}

/// The next `count` moments, as `2026-03-29T01:00Z`.
func moments(of schedule: some SyncSchedule, after start: String, _ count: Int) throws -> [String] {
    var last = try moment(start)
    return (0..<count).map { _ in
        last = schedule.next(after: last)
        return last.rfc3339.replacing(":00.000Z", with: "Z")
    }
}
