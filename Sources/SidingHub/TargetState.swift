// SPDX-License-Identifier: Apache-2.0
internal import Siding
internal import SidingChain

/// How a service gets on with a target.
struct TargetState: Sendable {
    let target: HubTarget
    var isUnderWay = false
    private(set) var begunAt: Timestamp?
    /// Whether this process has published everything once.
    var hasPublished = false
    /// Why the last publication of a resource failed, by its name.
    private var problems: [String: String] = [:]
    /// How often in a row one failed, and when last.
    private var failures = 0
    private var failedAt: Timestamp?

    init(_ target: HubTarget) {
        self.target = target
    }

    /// The first of the problems, in the order of the config.
    var problem: String? { target.resources.lazy.compactMap { problems[$0] }.first }

    /// A clock that was set back must not put it off.
    func isDue(now: Timestamp) -> Bool {
        guard let begunAt else { return true }
        return now - begunAt >= target.every || now < begunAt
    }

    mutating func begin(now: Timestamp) { (isUnderWay, begunAt) = (true, now) }

    /// The resources to publish. Those that failed wait longer each time, and the others go on.
    func due(now: Timestamp) -> [String] {
        let backoff = Backoff(base: target.every, cap: max(target.every, RetryRules.longestHubWait))
        guard let failedAt, now >= failedAt, now - failedAt < backoff.ceiling(after: failures) else {
            return target.resources
        }
        return target.resources.filter { problems[$0] == nil }
    }

    /// Whether one of the resources failed last.
    func hasFailed(_ resources: [String]) -> Bool { resources.contains { problems[$0] != nil } }

    /// Notes how the publication that began last ended.
    ///
    /// - Parameters:
    ///   - error: why nothing more can be published; then all resources failed.
    ///   - errors: why single ones failed.
    mutating func note(_ errors: [String: String], _ error: String?, of resources: [String]) {
        let isRetry = hasFailed(resources)
        if let error {
            for resource in target.resources { problems[resource] = error }
        } else {
            for resource in resources { problems[resource] = errors[resource].map { "\(resource): \($0)" } }
        }
        if problems.isEmpty {
            (failures, failedAt) = (0, nil)
        } else if isRetry || hasFailed(resources) {
            (failures, failedAt) = (isRetry ? failures + 1 : max(failures, 1), begunAt)
        }
    }
}
