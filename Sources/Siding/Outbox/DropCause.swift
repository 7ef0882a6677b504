// SPDX-License-Identifier: Apache-2.0
internal import SidingSQLite

/// How a dropped write ended: it decides the exit code of the command that asks for its delivery.
package enum DropCause: Sendable, Hashable {
    /// It was dropped together with another write, as the later one undoes the earlier before either was sent.
    case cancelled
    /// Its edited form, with this id, took its place; nil if that was removed since.
    case replaced(by: String?)
    /// By an operator or a ``ConflictPolicy``, with the detail of its history.
    case other(detail: String?)

    /// - Returns: nil without a history.
    static func load(_ entry: String, _ database: borrowing some Queryable & ~Copyable) throws -> DropCause? {
        guard let last = try OutboxEventsTable.events(of: entry, database).last else { return nil }
        return switch last.event {
        case .cancelled: .cancelled
        case .replaced: .replaced(by: try OutboxTable.replacement(of: entry, database))
        default: .other(detail: last.detail)
        }
    }
}
