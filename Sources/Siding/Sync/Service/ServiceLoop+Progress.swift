// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingNetwork

/// What the loop knows of its work between two events.
extension ServiceLoop {
    enum Part: String, Sendable {
        case writes, syncs
    }

    enum Work: Sendable, Hashable, CustomStringConvertible {
        /// The look for what is due.
        case look(Part)
        /// What such a look has found for this source: its due writes, or a ``DueSyncs/SourceSync``.
        case due(Part, of: String)

        var part: Part {
            switch self {
            case .look(let part), .due(let part, of: _): part
            }
        }

        var description: String {
            switch self {
            case .look(let part): part.rawValue
            case .due(let part, of: let source): "\(part.rawValue) of \(source)"
            }
        }
    }

    /// The result of one poll for work.
    struct PollResult: Sendable {
        /// The state of the queue afterwards.
        var outlook: QueueOutlook
        /// Whether nothing was tried.
        var isIdle = true
        /// Whether the writes of the source were left alone, as its secret is missing.
        var lacksSecret = false
        /// When a resource is due by its schedule.
        var nextSync: Timestamp?
        /// What is due now.
        var found: [DueWork] = []
    }

    /// What a look has found for one source.
    struct DueWork: Sendable {
        let work: Work
        let perform: @Sendable (WriteSender) async throws(StoreError) -> PollResult
    }

    /// What a poll began with, so that no change since then is missed.
    struct Mark: Sendable {
        var network: NetworkChanges.Mark?
        var sender: WriteSender
        /// Whether something may have become due since.
        var isOutdated = false
    }

    struct Progress {
        var running: Set<Work> = []
        /// Taken before the last poll of each kind.
        var marks: [Work: Mark] = [:]
        /// When the last poll of each kind began.
        var begun: [Work: Timestamp] = [:]
        /// When the pause ends; nil while there is none.
        var wakesAt: Timestamp?
        /// When the next entry or resource becomes due, by the last poll of each kind; it may have become due during that
        /// poll.
        var due: [Work: Timestamp] = [:]
        var reachable: Set<String>
        /// The last change of the network after which waits were ended.
        var seen: NetworkChanges.Mark?
        /// The failure of the last poll of each kind.
        var faults: [Work: StoreError] = [:]
        /// What the last look of each part has found and found no room yet. The next look begins anew.
        var found: [Part: [DueWork]] = [:]
        /// The sources whose secret was missing at the last try to send their writes.
        var lackingSecret: Set<String> = []
        /// The failure that ends the loop.
        var failure: StoreError?

        /// The sources of which this part is under way.
        func busySources(_ part: Part) -> Set<String> {
            Set(running.compactMap { work in if case .due(part, of: let source) = work { source } else { nil } })
        }
    }
}
