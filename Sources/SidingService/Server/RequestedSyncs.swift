// SPDX-License-Identifier: Apache-2.0
internal import SidingSynchronization

/// The syncs that somebody asked for over HTTP. They are done beside the answers, as a sync may take long; a resource
/// has one at most, however often it is asked for.
final class RequestedSyncs: Sendable {
    private struct State {
        var waiting: [String] = []
        /// The resources that wait among them.
        var underWay: Set<String> = []
    }

    private let state = Mutex(State())
    private let asked = ChangeSignal()

    /// - Returns: whether there was none of the resource before.
    func ask(for resource: String) -> Bool {
        let isNew = state.withLock { state in
            guard state.underWay.insert(resource).inserted else { return false }
            state.waiting.append(resource)
            return true
        }
        if isNew { asked.fire() }
        return isNew
    }

    /// Does what is asked for, until the task is cancelled.
    func run(_ sync: @escaping @Sendable (String) async -> Void) async {
        await withDiscardingTaskGroup { group in
            while !Task.isCancelled {
                let count = asked.count
                for resource in takeWaiting() {
                    group.addTask {
                        await sync(resource)
                        self.end(resource)
                    }
                }
                await asked.wait(past: count)
            }
        }
    }

    private func takeWaiting() -> [String] {
        state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
    }

    private func end(_ resource: String) {
        state.withLock { _ = $0.underWay.remove(resource) }
    }
}
