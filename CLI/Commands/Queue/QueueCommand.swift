// SPDX-License-Identifier: Apache-2.0
import ArgumentParser

/// `siding queue`: shows the entries of the queue and performs operator actions on them.
struct QueueCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "queue", abstract: "Show the queue, and act on its entries.",
        subcommands: [
            QueueListCommand.self, QueueShowCommand.self, QueueRunCommand.self, QueueRetryCommand.self,
            QueueHoldCommand.self, QueueReleaseCommand.self, QueueDropCommand.self, QueueEditCommand.self,
            QueueResolveCommand.self, QueuePurgeCommand.self,
        ])
}
