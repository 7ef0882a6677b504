// SPDX-License-Identifier: Apache-2.0
import Foundation
import SidingSynchronization

/// Kills a client with one of the requests that its origin receives, before that is answered.
final class KillSwitch: Sendable {
    private let armed = Mutex<(left: Int, child: Promise<Child>)?>(nil)

    /// Arms it for the request with this number, from 1, of the client that `child` will be.
    func arm(at number: Int, of child: Promise<Child>) {
        armed.withLock { $0 = (number, child) }
    }

    func disarm() {
        armed.withLock { $0 = nil }
    }

    /// The origin has received a request.
    func hear() async {
        let child = armed.withLock { armed -> Promise<Child>? in
            guard let (left, child) = armed else { return nil }
            armed = left > 1 ? (left - 1, child) : nil
            return left == 1 ? child : nil
        }
        if let child { try? await child.value().send(SIGKILL) }
    }
}
