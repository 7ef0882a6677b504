// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingSynchronization

/// Counts the requests sent, inline retries included.
final class RequestCounter: Sendable {
    private let count = Atomic<Int>(0)
    var value: Int { count.load(ordering: .relaxed) }
    func add() { count.add(1, ordering: .relaxed) }
    /// The count, which begins anew.
    func take() -> Int { count.exchange(0, ordering: .relaxed) }

    /// `transport`, of which each request is counted.
    func counting(_ transport: any Transport) -> any Transport {
        ObservingTransport(transport) { _ in self.add() }
    }
}
