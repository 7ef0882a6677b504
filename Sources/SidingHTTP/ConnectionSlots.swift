// SPDX-License-Identifier: Apache-2.0
internal import NIOCore
internal import SidingChain
internal import SidingSynchronization

/// Limits the number of simultaneous requests to each origin, first come, first served.
///
/// AsyncHTTPClient's pool fails a request that waits longer than the connect timeout; here a request may wait until its own
/// deadline.
final class ConnectionSlots: Sendable {
    private let limit: Int
    private let lines = Mutex<[String: WaitingLine<Void>]>([:])

    init(limit: Int) {
        self.limit = max(limit, 1)
    }

    /// Takes a slot at `origin`, waiting until `deadline`.
    ///
    /// - Throws: ``SidingChain/Failure/Reason/localResource`` at the deadline, ``SidingChain/Failure/Reason/cancelled``.
    func acquire(_ origin: String, on loop: any EventLoop, until deadline: NIODeadline) async throws(Failure) -> Slot {
        let (line, arrival) = arrive(origin)
        if case .waits(let place) = arrival {
            let timer = loop.scheduleTask(deadline: deadline) { place.giveUp() }
            let ending = await line.wait(at: place)
            timer.cancel()
            switch ending {
            case .granted: break
            case .cancelled: throw Failure(.cancelled, phase: .notSent)
            case .late:
                throw Failure(
                    .localResource, phase: .notSent,
                    detail: "none of the \(limit) connections to \(origin) became free in time")
            }
        }
        return Slot { [self] in release(origin) }
    }

    private func arrive(_ origin: String) -> (WaitingLine<Void>, WaitingLine<Void>.Arrival) {
        lines.withLock { lines in
            let line = lines[origin] ?? WaitingLine(Array(repeating: (), count: limit))
            lines[origin] = line
            return (line, line.arrive())
        }
    }

    private func release(_ origin: String) {
        lines.withLock { lines in
            guard let line = lines[origin] else { return }
            line.give(())
            if line.freeCount == limit { lines[origin] = nil }
        }
    }
}

/// A slot for a request to an origin. Repeated releases have no effect.
final class Slot: Sendable {
    private let giveBack: Mutex<(@Sendable () -> Void)?>

    init(_ giveBack: @escaping @Sendable () -> Void) {
        self.giveBack = Mutex(giveBack)
    }

    func release() { giveBack.exchange(nil)?() }
}
