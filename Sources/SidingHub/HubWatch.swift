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
                    case .publication(let state): states[state.target.name] = state
                    }
                    let now = store.clock.now
                    for target in targets() {
                        var state = states[target.name] ?? TargetState(target)
                        // What was learnt of another address or password says nothing of this one.
                        if state.target != target, !state.isUnderWay { state = TargetState(target) }
                        guard !state.isUnderWay, state.isDue(now: now) else { continue }
                        state.begin(now: now)
                        states[target.name] = state
                        group.addTask { [state] in .publication(await publish(state.due(now: now), state)) }
                    }
                }
                group.cancelAll()
            }
        }
    }

    private enum Ended {
        case pause
        case publication(TargetState)
    }

    private func look() async -> Ended {
        try? await clock.sleep(for: pace)
        return .pause
    }

    /// Publishes what has changed. Without changes nothing is asked of a hub that has all.
    private func publish(_ resources: [String], _ before: TargetState) async -> TargetState {
        var state = before
        state.isUnderWay = false
        guard !resources.isEmpty else { return state }
        let publisher = HubPublisher(of: store, to: state.target)
        let errors = Mutex<[String: String]>([:])
        var failure: HubError?
        do throws(HubError) {
            if state.hasPublished, !state.hasFailed(resources), try await publisher.isUpToDate(resources) {
                return state
            }
            let isOurs = try await publisher.publishUnderLease(resources, command: "service") { report in
                note(report, before.target, errors)
            }
            state.hasPublished = isOurs
            // Another process publishes: how that ends is not known here.
            guard isOurs else {
                logger.debug("another process publishes", metadata: ["target": "\(state.target.name)"])
                return state
            }
        } catch {
            if error.kind == .cancelled { return state }
            failure = error
        }
        state.note(errors.withLock { $0 }, failure?.message, of: resources)
        tell(state.problem, after: before.problem, state.target)
        return state
    }

    private func note(_ report: HubReport, _ target: HubTarget, _ errors: borrowing Mutex<[String: String]>) {
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
        errors.withLock { $0[report.resource] = error.message }
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
