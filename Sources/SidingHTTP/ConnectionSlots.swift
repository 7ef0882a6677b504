internal import NIOCore
internal import SidingChain
internal import SidingSynchronization

/// Limits the number of simultaneous requests to each origin, first come, first served.
///
/// AsyncHTTPClient's pool fails a request that waits longer than the connect timeout; here a request may wait until its own
/// deadline.
final class ConnectionSlots: Sendable {
    private enum Answer: Sendable {
        case granted, tooLate, cancelled
    }

    private struct Lane {
        var taken = 0
        var waiting: [Promise<Answer>] = []
    }

    private let limit: Int
    private let lanes = Mutex<[String: Lane]>([:])

    init(limit: Int) {
        self.limit = max(limit, 1)
    }

    /// Takes a slot at `origin`, waiting until `deadline`.
    ///
    /// - Throws: ``SidingChain/Failure/Reason/localResource`` at the deadline, ``SidingChain/Failure/Reason/cancelled``.
    func acquire(_ origin: String, on loop: any EventLoop, until deadline: NIODeadline) async throws(Failure) -> Slot {
        if let waiter = takeOrWait(origin) {
            let timer = loop.scheduleTask(deadline: deadline) { _ = waiter.resolve(.tooLate) }
            let answer = await waiter.value(orWhenCancelled: .cancelled)
            timer.cancel()
            if answer != .granted { try forget(waiter, origin, answer) }
        }
        return Slot { [self] in release(origin) }
    }

    private func takeOrWait(_ origin: String) -> Promise<Answer>? {
        lanes.withLock { lanes in
            if lanes[origin, default: Lane()].taken < limit {
                lanes[origin, default: Lane()].taken += 1
                return nil
            }
            let waiter = Promise<Answer>()
            lanes[origin, default: Lane()].waiting.append(waiter)
            return waiter
        }
    }

    private func forget(
        _ waiter: Promise<Answer>, _ origin: String, _ answer: Answer
    ) throws(Failure) {
        lanes.withLock { $0[origin]?.waiting.removeAll { $0 === waiter } }
        guard answer == .tooLate else { throw Failure(.cancelled, phase: .notSent) }
        throw Failure(
            .localResource, phase: .notSent, detail: "none of the \(limit) connections to \(origin) became free in time"
        )
    }

    private func release(_ origin: String) {
        lanes.withLock { lanes in
            guard var lane = lanes[origin] else { return }
            var isPassedOn = false
            while !isPassedOn, !lane.waiting.isEmpty { isPassedOn = lane.waiting.removeFirst().resolve(.granted) }
            if !isPassedOn { lane.taken -= 1 }
            lanes[origin] = lane.taken == 0 ? nil : lane
        }
    }
}

/// A slot for a request to an origin. Repeated releases have no effect.
final class Slot: Sendable {
    private let giveBack: Mutex<(@Sendable () -> Void)?>

    init(_ giveBack: @escaping @Sendable () -> Void) {
        self.giveBack = Mutex(giveBack)
    }

    func release() {
        let giveBack = giveBack.withLock { held in
            defer { held = nil }
            return held
        }
        giveBack?()
    }
}
