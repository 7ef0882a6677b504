// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Siding
import SidingChain

/// `siding queue hold`: parks entries until they are released.
struct QueueHoldCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hold", abstract: "Park entries until they are released.")
    @OptionGroup var action: ActionOptions

    func run() async throws {
        try await action.run(.act(.hold))
    }
}

/// `siding queue release`: lets parked entries continue.
struct QueueReleaseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "release", abstract: "Make parked entries due again; the next sync or queue run tries them.")
    @OptionGroup var action: ActionOptions

    func run() async throws {
        try await action.run(.act(.release))
    }
}

/// `siding queue drop`: discards entries, after a confirmation.
struct QueueDropCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drop",
        abstract: "Remove entries from delivery for good; the next sync restarts the listing of a fetch.")
    @OptionGroup var action: ActionOptions

    func run() async throws {
        try await action.run(.act(.drop)) { chosen, store in
            let count = try await store.count(chosen)
            if count > 0 { try action.confirm("dropping \(MessageFormat.count(count, "entry", plural: "entries"))") }
        }
    }
}

/// `siding queue purge`: removes completed and dropped entries from the database.
struct QueuePurgeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "purge", abstract: "Forget completed entries.",
        discussion: """
            Siding forgets completed entries by itself after the time of 'keep: { done }', 30 days by default. Open \
            entries are never removed. The idempotency key of a write stays reserved for its lifetime. --older-than counts \
            from when an entry was completed.
            """)
    @OptionGroup var action: ActionOptions

    func run() async throws {
        let status = try await action.options.withStore(.readWrite) { workspace, store in
            var chosen = try await action.chosen(workspace, store)
            (chosen.completedBefore, chosen.createdBefore) = (chosen.createdBefore, nil)
            if chosen.ids.isEmpty, chosen.states.isEmpty, chosen.reasons.isEmpty { chosen.states = [.done, .dropped] }
            let count = try await store.count(chosen)
            if count > 0 { try action.confirm("forgetting \(MessageFormat.count(count, "entry", plural: "entries"))") }
            return try await action.perform(.purge, on: chosen, of: store).status
        }
        if status != .success { throw status }
    }
}
