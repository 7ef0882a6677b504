// SPDX-License-Identifier: Apache-2.0
import SidingChain

/// The resources and the queue, as one of the ways in which Siding shows them has them.
struct ShownState: Equatable {
    struct Resource: Equatable {
        var records: Int
        /// RFC 3339, to the millisecond.
        var completedAt: String
        var isFresh: Bool
    }

    var resources: [String: Resource] = [:]
    /// Open entries by state; states without any are left out.
    var queue: [String: Int] = [:]

    /// - Parameter status: what `siding status --json` or `/api/status` answers; nil if it is not that.
    init?(status: [String: JSONValue]) {
        guard let lines = status["resources"]?.array, let states = status["queue"]?.members else { return nil }
        for line in lines {
            guard let name = line["resource"]?.string, let records = line["records"]?.int,
                let completed = line["completed_at"]?.string, let isStale = line["stale"]?.bool
            else { return nil }
            let isDone = line["running"] == nil && line["failing_since"] == nil && line["checkpoint_page"] == nil
            resources[name] = Resource(records: records, completedAt: completed, isFresh: isDone && !isStale)
        }
        for (state, count) in states where count != .number(0) { queue[state] = count.int }
    }

    /// - Parameter metrics: the text of `/metrics`.
    init(metrics: String) {
        var values: [String: [String: Double]] = [:]
        for sample in metrics.matches(of: /(?m)^siding_resource_([a-z_]+)\{resource="([^"]+)"[^}]*\} ([0-9.e+]+)$/) {
            values[String(sample.2), default: [:]][String(sample.1)] = Double(sample.3)
        }
        resources = values.mapValues { value in
            Resource(
                records: Int(value["records"] ?? -1),
                completedAt: Timestamp(secondsSince1970: value["completed_timestamp_seconds"] ?? 0).rfc3339,
                isFresh: ["stale", "failing", "incomplete", "running"].allSatisfy { value[$0] == 0 })
        }
        for sample in metrics.matches(of: /(?m)^siding_queue_entries\{[^}]*state="([a-z]+)"[^}]*\} ([0-9]+)$/) {
            queue[String(sample.1), default: 0] += Int(sample.2) ?? 0
        }
    }

    /// - Parameter page: the HTML of `/`.
    init(page: String) {
        for row in page.matches(of: /<tr><th scope="row"><a href="\/records\/([^"]+)">.*<\/tr>/) {
            func cell(_ content: Regex<(Substring, Substring)>) -> String {
                row.0.firstMatch(of: content).map { String($0.1) } ?? ""
            }
            resources[String(row.1)] = Resource(
                records: Int(cell(/data-label="Records" class="number">([0-9]+)</)) ?? -1,
                completedAt: cell(/data-label="Complete"><time datetime="([^"]+)"/),
                isFresh: cell(/class="badge [a-z]+">([a-z ]+)</) == "fresh")
        }
        for tile in page.matches(of: /<a href="\/queue\?state=([a-z]+)[^"]*"><strong>([0-9]+)<\/strong>/) {
            queue[String(tile.1), default: 0] += Int(tile.2) ?? 0
        }
    }
}
