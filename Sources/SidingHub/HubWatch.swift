// SPDX-License-Identifier: Apache-2.0
package import Logging
internal import ServiceLifecycle
package import Siding
internal import SidingChain
internal import SidingSynchronization

/// Publishes while a service runs: each target by itself, so that a hub that is slow or down holds up neither the others nor a
/// sync.
package struct HubWatch: Service {
    /// Asked at each look, so that a new config counts from then on.
    private let targets: @Sendable () -> [HubTarget]
    private let store: Store
    private let clock: any Clock<Duration>
    private let logger: Logger

    /// How often it looks which targets are due; rarely where a new config would have to bring the first one.
    private var pace: Duration { .seconds(targets().isEmpty ? 10 : 1) }

    package init(
        _ store: Store, clock: any Clock<Duration> = ContinuousClock(), logger: Logger,
        targets: @escaping @Sendable () -> [HubTarget]
    ) {
        (self.store, self.clock, self.logger, self.targets) = (store, clock, logger, targets)
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            await withTaskGroup(of: Ended.self) { group in
                var states: [String: TargetState] = [:]
                group.addTask { await look() }
                while let ended = await group.next(), !Task.isCancelled {
                    switch ended {
                    case .pause: group.addTask { await look() }
                    case .publication(let target, let state): states[target] = state
                    }
                    let now = store.clock.now
                    for target in targets() {
                        var state = states[target.name] ?? TargetState()
                        guard !state.isUnderWay, state.isDue(target.every, now: now) else { continue }
                        (state.isUnderWay, state.begunAt) = (true, now)
                        states[target.name] = state
                        group.addTask { [state] in .publication(target.name, await publish(to: target, state)) }
                    }
                }
                group.cancelAll()
            }
        }
    }

    private enum Ended {
        case pause
        case publication(String, TargetState)
    }

    private func look() async -> Ended {
        try? await clock.sleep(for: pace)
        return .pause
    }

    /// Publishes what has changed. Without changes nothing is asked of a hub that has all.
    private func publish(to target: HubTarget, _ before: TargetState) async -> TargetState {
        var state = before
        state.isUnderWay = false
        let publisher = HubPublisher(of: store, to: target)
        do throws(HubError) {
            if before.problem == nil, before.hasPublished,
                try await publisher.foresee(target.resources).allSatisfy({ $0.behind == 0 })
            {
                return state
            }
            let problems = Mutex<[String]>([])
            let isOurs = try await publisher.publishUnderLease(target.resources, command: "service") { report in
                note(report, target, problems)
            }
            state.hasPublished = isOurs
            state.problem = problems.withLock { $0 }.first
        } catch {
            if error.kind == .cancelled { return state }
            state.problem = error.message
        }
        tell(state.problem, after: before.problem, target)
        return state
    }

    private func note(_ report: HubReport, _ target: HubTarget, _ problems: borrowing Mutex<[String]>) {
        for (column, count) in report.misfits.sorted(by: { $0.key < $1.key }) {
            logger.warning(
                "values do not fit the column of the hub",
                metadata: [
                    "target": "\(target.name)", "resource": "\(report.resource)", "column": "\(column)",
                    "values": "\(count)",
                ])
        }
        if report.rows > 0 {
            logger.info(
                "published",
                metadata: ["target": "\(target.name)", "resource": "\(report.resource)", "records": "\(report.rows)"])
        }
        guard let error = report.error, !error.concernsAll else { return }
        problems.withLock { $0.append("\(report.resource): \(error.message)") }
    }

    /// Once, until it changes.
    private func tell(_ problem: String?, after before: String?, _ target: HubTarget) {
        guard problem != before else { return }
        if let problem {
            logger.warning("cannot publish: \(problem)", metadata: ["target": "\(target.name)"])
        } else {
            logger.notice("publishes again", metadata: ["target": "\(target.name)"])
        }
    }
}

/// How the publication to a target goes.
private struct TargetState: Sendable {
    var isUnderWay = false
    var begunAt: Timestamp?
    /// Whether this process has published everything once.
    var hasPublished = false
    var problem: String?

    /// A clock that was set back must not put it off.
    func isDue(_ every: Duration, now: Timestamp) -> Bool {
        guard let begunAt else { return true }
        return now - begunAt >= every || now < begunAt
    }
}
