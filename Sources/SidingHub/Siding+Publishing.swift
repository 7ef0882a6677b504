// SPDX-License-Identifier: Apache-2.0
public import Logging
public import ServiceLifecycle
public import Siding
internal import SidingSynchronization

extension Siding {
    /// Publishes what has changed since the last publication to a hub, one resource after the other.
    ///
    /// Each transaction there has records and the position behind them, so that nothing is lost or doubled wherever the line
    /// breaks: call again. ``Siding/close()`` cancels it.
    ///
    /// - Parameters:
    ///   - target: the hub. A target keeps its name: under it the file stores how far it has published.
    ///   - resources: which of them; all of the target by default.
    ///   - options: what a person has decided after an error; nothing by default.
    /// - Returns: a report for each resource. One that failed has its ``HubReport/error``, and the others are published.
    /// - Throws: ``HubError`` if nothing more can be published, of a kind such as ``HubError/Kind/unavailable``,
    ///   ``HubError/Kind/signIn`` or ``HubError/Kind/locked``. What was published before stays.
    @discardableResult
    public func publish(
        to target: HubTarget, resources: [any SyncedResource]? = nil, options: PublishOptions = PublishOptions()
    ) async throws(HubError) -> [HubReport] {
        let names = resources?.map(\.name) ?? target.resources
        var publisher = HubPublisher(of: store, to: target)
        publisher.options = options
        do {
            return try await perform { [publisher] in
                do throws(HubError) {
                    return Result<[HubReport], HubError>.success(try await publisher.reports(of: names))
                } catch {
                    return .failure(error)
                }
            }.get()
        } catch {
            throw HubError(error)
        }
    }

    /// A service that publishes to each target as often as its ``HubTarget/every`` says, until it is asked to stop.
    ///
    /// It belongs into the same group as this ``Siding``, whose ``Siding/run()`` syncs. Targets are independent of each other; one
    /// that fails is tried again, less often each time. Without changes nothing is asked of a hub.
    ///
    /// - Parameter logger: gets what was published, and each error once until it changes.
    public func publishing(to targets: [HubTarget], logger: Logger) -> some Service {
        HubWatch(store, logger: logger) { targets }
    }
}

extension HubPublisher {
    /// The reports of a publication that no other one may accompany.
    fileprivate func reports(of resources: [String]) async throws(HubError) -> [HubReport] {
        let reports = Mutex<[HubReport]>([])
        let other = Mutex<LeaseHolder?>(nil)
        let isOurs = try await publishUnderLease(resources, command: "publish \(target.name)") { holder in
            other.withLock { $0 = holder }
        } report: { report in
            reports.withLock { $0.append(report) }
        }
        guard isOurs else {
            let holder = other.withLock { $0 }.map { ": \($0)" } ?? ""
            throw HubError(.locked, "another publication to '\(target.name)' is under way\(holder)")
        }
        return reports.withLock { $0 }
    }
}
