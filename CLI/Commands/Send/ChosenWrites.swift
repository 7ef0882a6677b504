// SPDX-License-Identifier: Apache-2.0
import Siding
import SidingChain

/// Sends the entries that an operator has chosen, due or not and through closed gates: those of the sources side by side, and of
/// each source one after the other, so that the order within lanes is kept.
struct ChosenWrites {
    let store: Store
    let sender: WriteSender
    /// Called with each entry that was tried, by the sources concurrently.
    let tried: @Sendable (QueueEntry) -> Void

    private typealias Pass = (source: String, left: [QueueEntry], completesAny: Bool)

    /// - Returns: the entries that were not tried, in their order.
    func send(_ entries: [QueueEntry]) async throws -> [QueueEntry] {
        var left = entries
        // What one source completes may let entries of another one go.
        while !left.isEmpty, !Task.isCancelled {
            let passes = try await sendSideBySide(left)
            let ids = Set(passes.flatMap(\.left).map(\.id))
            left = left.filter { ids.contains($0.id) }
            if !passes.contains(where: \.completesAny) { break }
        }
        return left
    }

    private func sendSideBySide(_ entries: [QueueEntry]) async throws -> [Pass] {
        let entries = Dictionary(grouping: entries, by: \.source)
        return try await withThrowingTaskGroup(of: Pass.self) { group in
            var order = SendingOrder(entries.keys.sorted())
            var passes: [Pass] = []
            while true {
                while let source = order.begin() {
                    group.addTask { try await send(entries[source] ?? [], to: source) }
                }
                guard let pass = try await group.next() else { return passes }
                order.end(pass.source)
                passes.append(pass)
            }
        }
    }

    /// Tries them in passes until a pass completes none: each completed entry may let the next one in its lane go. What is left
    /// when the source refuses one after the other in the same way would be refused, too.
    private func send(_ entries: [QueueEntry], to source: String) async throws -> Pass {
        var (left, completed) = (entries, 0)
        while !left.isEmpty, !Task.isCancelled {
            let before = completed
            var waiting: [QueueEntry] = []
            for (index, entry) in left.enumerated() where !Task.isCancelled {
                guard let entry = try await sender.send(entry.id, passesGates: true) else {
                    waiting.append(entry)
                    continue
                }
                tried(entry)
                if entry.state.isCompleted { completed += 1 }
                if try await isRefusing(entry) { return (source, waiting + left[(index + 1)...], completed > 0) }
            }
            left = waiting
            if completed == before { break }
        }
        return (source, left, completed > 0)
    }

    private func isRefusing(_ tried: QueueEntry) async throws(StoreError) -> Bool {
        guard tried.state == .parked, tried.reason == .rejected else { return false }
        return try await store.gates().closed(tried.source, at: WallClock.system.now)?.reason == .breaker
    }
}
