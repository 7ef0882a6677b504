// SPDX-License-Identifier: Apache-2.0
internal import Siding
internal import SidingChain

/// What is done with a resource, by the two sides of its position.
enum HubDecision: Equatable {
    /// Continue behind the hub's position; nil: there is none yet.
    case proceed(HubPosition?)
    /// Send all records, or those behind the hub's position, and delete those of the station that its file does not have.
    case compare(from: HubPosition?, sendsAll: Bool, because: String)
    case refuse(String)

    /// - Parameters:
    ///   - hub: the position that the hub has.
    ///   - file: the one that the file knows.
    ///   - adopts: whether the operator says that this file is the station from now on.
    init(hub: HubPosition?, file: Publication.Position?, resource: PublishedResource, adopts: Bool) {
        let marks = file?.marks ?? []
        switch hub {
        case nil where file?.mark == nil: self = .proceed(nil)
        case nil where adopts:
            self = .compare(from: nil, sendsAll: true, because: "the hub had no position of this station")
        case nil:
            self = .refuse(
                "the hub has no position of this station, though this file has published there: "
                    + "the hub was restored, or is another one")
        case let hub? where !marks.contains(hub.mark):
            let why =
                "another file has published under this station's name"
                + (marks.isEmpty ? "" : ": this one was copied, or the hub or it was restored from a backup")
            self = adopts ? .compare(from: hub, sendsAll: true, because: why) : .refuse(why)
        case let hub? where adopts: self = .compare(from: hub, sendsAll: true, because: "--adopt asks for it")
        case let hub? where hub.number != resource.number:
            self = .compare(from: hub, sendsAll: true, because: "the resource was forgotten and made again")
        // Before the first transaction is known to be committed, its columns are not known either.
        case let hub? where file?.mark != nil && file?.columns != resource.columnsDigest:
            self = .compare(from: hub, sendsAll: true, because: "its columns have changed")
        case let hub? where hub.revision < resource.forgotten && hub.isCompared:
            self = .compare(
                from: hub, sendsAll: false, because: "deletions since the last publication are no longer stored")
        case let hub?: self = .proceed(hub)
        }
    }
}

extension Publication.Position {
    /// What the hub may have after transactions of this file.
    var marks: [String] { (mark.map { [$0] } ?? []) + next }
}

extension PublishedResource {
    /// Changes with the names, the paths and the types of the declared columns.
    var columnsDigest: String {
        let lines = columns.map { column in
            var line = "\(column.name) \(column.path) \(column.type.name)"
            if case .datetime(let format) = column.type { line += " \(format.rawValue)" }
            return line
        }
        return SHA256.hexadecimal(lines.sorted().joined(separator: "\n"))
    }
}
