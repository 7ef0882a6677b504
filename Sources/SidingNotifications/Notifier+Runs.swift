// SPDX-License-Identifier: Apache-2.0
internal import Siding
internal import SidingChain
internal import SidingInspection

/// The beginning and the end of a run, for monitors that expect a ping from each.
extension Notifier {
    /// No run waits longer than this for the ping of its beginning.
    private static let longestStart = Duration.seconds(5)

    /// Pings that a run begins.
    package func begin() async {
        await ping { hook throws(HookCall.Fault) in
            try await call.ping(hook, "/start", "", within: min(hook.timeout, Self.longestStart))
        }
    }

    /// Notifies of the state after a run, and pings how it ended.
    ///
    /// - Parameter failure: why the run could not work at all; nil if it did.
    package func end(failure: String? = nil) async {
        var open: [Incident] = []
        var failure = failure
        do throws(StoreError) { open = try await notify() } catch {
            report("notify: \(error.description)")
            failure = failure ?? error.description
        }
        await ping(open, failure: failure)
    }

    /// Notifies of the state of a running service, and pings if it is time.
    func look(_ pings: inout PingSchedule) async {
        do throws(StoreError) {
            let open = try await notify()
            if pings.isDue(open, now: wallClock.now) { await ping(open, failure: nil) }
        } catch {
            report("notify: \(error.description)")
        }
    }

    private func ping(_ open: [Incident], failure: String?) async {
        await ping { hook throws(HookCall.Fault) in try await end(hook, open, failure) }
    }

    private func end(_ hook: NotificationHook, _ open: [Incident], _ failure: String?) async throws(HookCall.Fault) {
        let now = wallClock.now
        let lines = open.filter { hook.concerns($0, now: now) }.map { Notification($0).text }
        let text = ((failure.map { [$0] } ?? []) + lines).joined(separator: "\n")
        try await call.ping(hook, text.isEmpty ? "" : "/fail", text, within: hook.timeout)
    }

    /// Calls `body` for all pings at once.
    private func ping(_ body: @escaping @Sendable (NotificationHook) async throws(HookCall.Fault) -> Void) async {
        guard call.canSend else { return }
        await withTaskGroup { group in
            for hook in hooks where hook.isPing {
                group.addTask {
                    do throws(HookCall.Fault) { try await body(hook) } catch {
                        report("notify: \(hook.description) failed: \(error.reason)")
                    }
                }
            }
        }
    }
}
